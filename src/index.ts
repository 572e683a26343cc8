/** Everything common, in one import: servers, clients, errors, protocol types. */

export type {
  ClientHandlers,
  ElicitFormRequest,
  ElicitFormResult,
  ElicitUrlRequest,
  HandlerContext,
} from './client/answers/handlers.ts';
export type { HandlerTaskOptions } from './client/answers/tasks/options.ts';
export type { CacheOptions, CacheStats, SharedCache } from './client/api/cache-options.ts';
export type { Change, Subscription } from './client/api/changes.ts';
export type {
  BatchRequest,
  CallOptions,
  Client,
  ClientCache,
  ClientConnection,
  ClientStats,
  ClientTasks,
  RoundOptions,
  ToolCallOptions,
  WaitOptions,
  Watcher,
} from './client/api/client.ts';
export type { ConnectionEvent, ConnectionState, ConnectionStateChange } from './client/api/connection-state.ts';
export type { CheckedServer, Contract } from './client/api/contract.ts';
export type { ClientExtension, ClientExtensions, ClientNotificationDefinition } from './client/api/extensions.ts';
export type { PaginatedList } from './client/api/listing.ts';
export type {
  ConnectLimits,
  ConnectOptions,
  ConnectTimeouts,
  LogEntry,
  ReconnectOptions,
  RequiredCapability,
} from './client/api/options.ts';
export type {
  RememberedTask,
  Task,
  TaskMemory,
  TaskRequestOptions,
  TasksOptions,
} from './client/api/tasks.ts';
export type { ClientTelemetry, SendTraced, TelemetryRequest } from './client/api/telemetry-port.ts';
export type {
  CallArguments,
  PromptArguments,
  PromptNames,
  ToolInput,
  ToolNames,
  ToolResult,
} from './client/api/typing.ts';
export { connect, createClient, type ServerLike, type Target as ConnectTarget } from './client/connect.ts';
export { toText } from './client/content/parts.ts';
export type {
  AuthHeaders,
  AuthRefusal,
  AuthRequestInfo,
  ClientAuth,
  ServerAuth,
} from './client/http/port/client-auth.ts';
export type { HttpTarget } from './client/http/target.ts';
export { type ErrorObject, RpcError } from './jsonrpc/errors.ts';
export type { RequestOptions } from './jsonrpc/outbox.ts';
export type { PeerCounts } from './jsonrpc/peer-counts.ts';
export { type ConnectStep, connectSteps } from './lib/errors/connect-steps.ts';
export type { Logger } from './lib/errors/logger.ts';
export { TenonError, type TenonErrorCode, type TenonErrorOptions } from './lib/errors/tenon-error.ts';
export type { CallOutcome, InputRequiredOutcome, TaskOutcome } from './ports/call-outcome.ts';
export type {
  GuardedAction,
  GuardedCall,
  GuardedCaller,
  GuardedFeature,
  GuardedRequest,
  GuardedTask,
  ServerGuard,
} from './ports/guard.ts';
export type { Principal, PrincipalDetails } from './ports/principal.ts';
export type { CompatOptions, Dialect } from './protocol/dialects/dialects.ts';
export type { ErrorCodeTable } from './protocol/dialects/error-codes.ts';
export { type RpcErrorReason, rpcError } from './protocol/errors.ts';
export type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  MethodResultInput,
  Methods,
  NotificationDefinition,
  Notifications,
  ResultTypes,
  TypedResult,
  WhenUndeclared,
} from './protocol/extensions/extension.ts';
export type * from './protocol/generated/types/records.ts';
export type {
  CacheHint,
  Done as CompleteOutcome,
  InputRequest as InputRequestMessage,
  Outcome as RequestOutcome,
  Round as CallRound,
  Side,
} from './protocol/neutral.ts';
export type { ProgressUpdate, ReportProgress } from './protocol/progress.ts';
export { type ProtocolVersion, protocolVersions } from './protocol/revisions/revisions.ts';
export {
  type BaseMetadata,
  type Cursor,
  type InitializeRequest,
  JSONRPC_VERSION,
  type JSONRPCError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LATEST_PROTOCOL_VERSION,
  type Notification,
  type Request,
} from './protocol/specification-names.ts';
export type { TemplateVariables } from './protocol/uri-template/variables.ts';
export type {
  Input,
  JsonSchemaRequest,
  JsonSchemaTrait,
  Output,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './schema/standard.ts';
export type {
  BaseContext,
  Caller,
  ClientFeature,
  CloseStreamOptions,
  Context,
  RootsListChange,
  StepOptions,
  StepRun,
  TaskAttempt,
} from './server/definition/context.ts';
export type {
  ClientNotificationHandlers,
  ExtensionContext,
  MethodHandler,
  MethodHandlers,
  NotificationContext,
  ServeExtensionOptions,
  ServerExtension,
  ServerExtensions,
  ServerNotificationDefinition,
} from './server/definition/extension.ts';
export type { Middleware, MiddlewareCall, MiddlewareContext } from './server/definition/middleware.ts';
export type {
  PromptDefinition,
  PromptHandler,
  PromptOptions,
  PromptReturn,
  StringArguments,
} from './server/definition/prompt.ts';
export type {
  CompleteCallback,
  CompletionValues,
  ResourceBody,
  ResourceDefinition,
  ResourceOptions,
  ResourcePart,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from './server/definition/resource.ts';
export {
  type Content,
  content,
  type InputRequired,
  inputRequired,
  type PromptResultInput,
  promptResult,
  type SystemMessage,
  toolResult,
  urlElicitationRequired,
  type WholePrompt,
  type WholeResult,
} from './server/definition/returns.ts';
export type {
  CapabilityOptions,
  Follower,
  Mountable,
  Mounts,
  NoMounts,
  Prompts,
  Resources,
  ServerDefinition,
  ServerFeatures,
  Templates,
  Tools,
  TypedTemplates,
} from './server/definition/server.ts';
export type {
  Elicitation,
  ElicitOutcome,
  FormElicitation,
  PlainFormElicitation,
  SampleRequest,
  ServerRequest,
  ServerRequestOptions,
  ServerRequestResult,
  ServerRequestTaskOptions,
  UrlElicitation,
} from './server/definition/server-requests.ts';
export type {
  TaskOptions,
  TaskRetry,
  TaskSupport,
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
export type { HttpHeaders, Refused } from './server/http/message.ts';
export type { HttpLimits, HttpOptions, HttpTimeouts, SessionOptions } from './server/http/options.ts';
export type { Dropped, HttpStats } from './server/http/reporting/dropped.ts';
export type { RevokedPrincipal } from './server/http/session/revocation.ts';
export type { ServerLike as TenonServer } from './server/internals.ts';
export type { IdempotencyOptions } from './server/kernel/runs/idempotency.ts';
export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
  ChallengeDetails,
  PublicDocument,
} from './server/ports/authenticate.ts';
export type { ErrorContext, ServerLimits, TaskLimits } from './server/ports/call-limits.ts';
export type { NetworkTransport, RequestDetails } from './server/ports/request-details.ts';
export type { MountedFeatures } from './server/registry/mount.ts';
export type { FeaturesDraft } from './server/registry/offering.ts';
export { createServer, type Server, type ServerOptions } from './server/server.ts';
export type { RequestStateOptions } from './server/server-requests/sealed-state.ts';
export type {
  AcceptOptions,
  ConnectionLimits,
  ConnectionStats,
  ConnectionTimeouts,
  ServerConnection,
} from './server/transport/serve-transport.ts';
export type * from './store/store.ts';
export type { Tap, TapEvent, TapHttp, TapOccurrence, TapSide, TapTransport } from './transport/tap.ts';
export type { Transport, TransportListener } from './transport/transport.ts';
