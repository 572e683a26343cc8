/** A client and a server in this process, with every message between them kept. */
import { type Channel, type Client, type ConnectOptions, connect, memoryChannels, type Server } from 'tenon';
import type { Json } from './raw-connection.ts';

export interface Tapped {
  readonly client: Client;
  readonly byClient: Json[];
  readonly byServer: Json[];
}

export async function connectTapped(server: Server, options: ConnectOptions): Promise<Tapped> {
  const [near, far] = memoryChannels();
  const byClient: Json[] = [];
  const byServer: Json[] = [];
  const tap = (channel: Channel, kept: Json[]): Channel => ({
    get state() {
      return channel.state;
    },
    open: (listener) => channel.open(listener),
    send(frame) {
      kept.push(JSON.parse(frame));
      channel.send(frame);
    },
    close: (reason) => channel.close(reason),
  });
  server.accept(tap(far, byServer));
  return { client: await connect(tap(near, byClient), options), byClient, byServer };
}
