/** Everything common on Node, in one import: what runs anywhere, and servers and clients over standard streams. */

export type { ClientHandlers } from '../client/answers/handlers.ts';
export type { Subscription } from '../client/api/changes.ts';
export type { CallOptions, Client, ClientConnection } from '../client/api/client.ts';
export type { ConnectionState, ConnectionStateChange } from '../client/api/connection-state.ts';
export { useExtension } from '../client/api/extensions.ts';
export type { PaginatedList } from '../client/api/listing.ts';
export type { ConnectOptions, ReconnectOptions } from '../client/api/options.ts';
export type { ServerLike } from '../client/connect.ts';
export { type ModelContent, type ModelContentOptions, toModelContent } from '../client/content/model-content.ts';
export { type Part, toParts, toText } from '../client/content/parts.ts';
export { RpcError, TenonError, type TenonErrorCode, tenonErrors } from '../jsonrpc/errors.ts';
export type { Logger } from '../jsonrpc/logger.ts';
export { rpcErrorReasons } from '../protocol/error-meanings.ts';
export { type RpcErrorReason, rpcError } from '../protocol/errors.ts';
export {
  defineExtension,
  defineMethod,
  defineNotification,
  defineVendorMethods,
  type ExtensionDefinition,
  typedResult,
} from '../protocol/extensions/extension.ts';
export type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
} from '../protocol/generated/types/records.ts';
export { type ProtocolVersion, protocolVersions } from '../protocol/revisions/revisions.ts';
export type { Schema, StandardSchema } from '../schema/standard.ts';
export type { Context } from '../server/definition/context.ts';
export type { Middleware } from '../server/definition/middleware.ts';
export type { PromptDefinition } from '../server/definition/prompt.ts';
export type { ResourceDefinition, ResourceTemplateDefinition } from '../server/definition/resource.ts';
export {
  content,
  inputRequired,
  promptResult,
  toolResult,
  urlElicitationRequired,
} from '../server/definition/returns.ts';
export type { ServerDefinition } from '../server/definition/server.ts';
export type { ToolDefinition } from '../server/definition/tool.ts';
export { ToolError } from '../server/definition/tool-error.ts';
export { serveExtension } from '../server/features/extension.ts';
export { prompt } from '../server/features/prompt.ts';
export { resource } from '../server/features/resource.ts';
export { resourceTemplate } from '../server/features/resource-template.ts';
export { tool } from '../server/features/tool.ts';
export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
} from '../server/http/admission/authentication.ts';
export { type FetchHandler, type FetchHandlerOptions, toFetchHandler } from '../server/http/fetch.ts';
export type { HttpLimits, HttpOptions, HttpTimeouts, SessionOptions } from '../server/http/options.ts';
export type { HttpStats } from '../server/http/reporting/dropped.ts';
export { createServer, type Server, type ServerOptions } from '../server/server.ts';
export { type Transport, type TransportListener } from '../transport/channel.ts';
export { createMemoryTransports } from '../transport/memory.ts';
export type { CommandTarget } from './child/command.ts';
export { connect, createClient, type HttpTarget } from './connect.ts';
export { type NodeHandler, type NodeHandlerOptions, toNodeHandler } from './http-server/handler.ts';
export {
  type HttpService,
  type ServeHttpOptions,
  type ServeHttpTimeouts,
  serveHttp,
} from './http-server/serve-http.ts';
export { readSkillsFolder } from './skills-folder.ts';
export type { ServeStdioOptions, StdioLimits, StdioTimeouts } from './stdio-server/options.ts';
export { type StdioService, serveStdio } from './stdio-server/serve-stdio.ts';
