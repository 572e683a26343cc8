/** Everything common, in one import: servers, clients, errors, protocol types. */
export { type Acceptor, type Client, type ConnectOptions, connect } from './client/connect.ts';
export { type LocalErrorCode, localErrors, RpcError, TenonError } from './jsonrpc/errors.ts';
export { rpcError, type WireErrorName, wireErrors } from './protocol/errors.ts';
export { type RevisionId, revisionIds } from './protocol/revisions/revisions.ts';
export { content, resource, type ServerDefinition, tool } from './server/definition.ts';
export { createServer, type Server } from './server/server.ts';
export { type Channel, type FrameListener } from './transport/channel.ts';
export { memoryChannels } from './transport/memory.ts';
