/** Everything common, in one import: servers, clients, errors. Every other name is in the entry point of its part. */

export type {
  ClientHandlers,
  ElicitFormRequest,
  ElicitFormResult,
  ElicitUrlRequest,
  HandlerContext,
} from './client/answers/handlers.ts';
export type { Change, Subscription } from './client/api/changes.ts';
export type { CallOptions, Client, ToolCallOptions, Watcher } from './client/api/client.ts';
export type { ConnectionState, ConnectionStateChange } from './client/api/connection-state.ts';
export type { ClientExtension } from './client/api/extensions.ts';
export type { PaginatedList } from './client/api/listing.ts';
export type { ConnectOptions, LogEntry } from './client/api/options.ts';
export type { Task, TaskMemory } from './client/api/tasks.ts';
export type { ToolInput, ToolNames, ToolResult } from './client/api/typing.ts';
export { connect, createClient, type Target as ConnectTarget } from './client/connect.ts';
export { toText } from './client/content/parts.ts';
export type { ClientAuth } from './client/http/port/client-auth.ts';
export type { HttpTarget } from './client/http/target.ts';
export { RpcError } from './jsonrpc/errors.ts';
export type { Logger } from './lib/errors/logger.ts';
export { TenonError, type TenonErrorCode } from './lib/errors/tenon-error.ts';
export type { CallOutcome } from './ports/call-outcome.ts';
export type { ServerGuard } from './ports/guard.ts';
export type { Principal, PrincipalDetails } from './ports/principal.ts';
export { type RpcErrorReason, rpcError } from './protocol/errors.ts';
export type {
  AudioContent,
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  CreateMessageResult,
  ElicitResult,
  EmbeddedResource,
  GetPromptResult,
  Icon,
  ImageContent,
  Implementation,
  LoggingLevel,
  Prompt,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceLink,
  ResourceTemplate,
  Root,
  SamplingMessage,
  ServerCapabilities,
  TextContent,
  Tool,
  ToolAnnotations,
} from './protocol/generated/types/records.ts';
export type { ProgressUpdate, ReportProgress } from './protocol/progress.ts';
export type { ProtocolVersion } from './protocol/revisions/revisions.ts';
export type { Schema, StandardSchema } from './schema/standard.ts';
export type { Caller, Context, StepOptions } from './server/definition/context.ts';
export type { ServerExtension } from './server/definition/extension.ts';
export type { Middleware, MiddlewareCall, MiddlewareContext } from './server/definition/middleware.ts';
export type { PromptDefinition, PromptHandler, PromptOptions, PromptReturn } from './server/definition/prompt.ts';
export type {
  CompleteCallback,
  CompletionValues,
  FileRoot,
  ResourceBody,
  ResourceDefinition,
  ResourceOptions,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from './server/definition/resource.ts';
export {
  type Content,
  content,
  type InputRequired,
  inputRequired,
  promptResult,
  toolResult,
  urlElicitationRequired,
} from './server/definition/returns.ts';
export type { ServerDefinition, ServerFeatures } from './server/definition/server.ts';
export type {
  ElicitOutcome,
  FormElicitation,
  SampleRequest,
  ServerRequest,
  UrlElicitation,
} from './server/definition/server-requests.ts';
export type {
  TaskOptions,
  TaskRetry,
  ToolDefinition,
  ToolHandler,
  ToolOptions,
  ToolReturn,
} from './server/definition/tool.ts';
export { ToolError } from './server/definition/tool-error.ts';
export { prompt } from './server/features/prompt.ts';
export { resource } from './server/features/resource.ts';
export { resourceTemplate } from './server/features/resource-template.ts';
export { tool } from './server/features/tool.ts';
export { type FetchHandler, type FetchHandlerOptions, toFetchHandler } from './server/http/fetch.ts';
export type { ServerOptions } from './server/options.ts';
export type { AuthChallenge, Authenticate, AuthRequest, AuthResult } from './server/ports/authenticate.ts';
export type { ErrorContext } from './server/ports/call-limits.ts';
export { createServer, type Server } from './server/server.ts';
export type { Store } from './store/store.ts';
export type { Tap } from './transport/tap.ts';
export type { Transport } from './transport/transport.ts';
