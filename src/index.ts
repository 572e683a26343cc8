/** Everything common, in one import: servers, clients, errors, protocol types. */
export type { CallOptions, Client, ClientConnection } from './client/api/client.ts';
export type { StateChange, StateName } from './client/api/connection-state.ts';
export { useExtension } from './client/api/extensions.ts';
export type { ConnectOptions, ReconnectOptions } from './client/api/options.ts';
export { type Acceptor, connect, createClient } from './client/connect.ts';
export { type ModelPolicy, type ModelView, toModel } from './client/content/model-content.ts';
export { type Part, partsOf, textOf } from './client/content/parts.ts';
export type { HttpTarget as HttpAddressed } from './client/http/target.ts';
export { type LocalErrorCode, localErrors, RpcError, TenonError } from './jsonrpc/errors.ts';
export type { Logger } from './jsonrpc/logger.ts';
export { wireErrors } from './protocol/error-meanings.ts';
export { rpcError, type WireErrorName } from './protocol/errors.ts';
export {
  type Extension,
  extension,
  method,
  notification,
  ofKind,
  vendorMethods,
} from './protocol/extensions/extension.ts';
export { type RevisionId, revisionIds } from './protocol/revisions/revisions.ts';
export { content, needsInput, pagesFirst, promptResult, result } from './server/definition/returns.ts';
export type { ServerDefinition } from './server/definition/server.ts';
export { serveExtension } from './server/features/extension.ts';
export { prompt } from './server/features/prompt.ts';
export { resource } from './server/features/resource.ts';
export { template } from './server/features/resource-template.ts';
export { tool } from './server/features/tool.ts';
export { type FetchHandler, type FetchOptions, toFetch } from './server/http/fetch.ts';
export { createServer, type Server, type ServerOptions } from './server/server.ts';
export { type Channel, type FrameListener } from './transport/channel.ts';
export { memoryChannels } from './transport/memory.ts';
