/** The client: connect to any server, speak whichever revision it speaks. */
export { type Acceptor, type Client, type ConnectOptions, connect } from './connect.ts';
