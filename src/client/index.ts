/** The client: connects to servers of every protocol version. */

export { type ErrorObject, RpcError } from '../jsonrpc/errors.ts';
export type { RequestOptions } from '../jsonrpc/outbox.ts';
export type { PeerCounts } from '../jsonrpc/peer-counts.ts';
export { type ConnectStep, connectSteps } from '../lib/errors/connect-steps.ts';
export { TenonError, type TenonErrorCode, type TenonErrorOptions } from '../lib/errors/tenon-error.ts';
export type { CompatOptions, Dialect } from '../protocol/dialects/dialects.ts';
export type { ErrorCodeTable } from '../protocol/dialects/error-codes.ts';
export type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  Methods,
  NotificationDefinition,
  Notifications,
  ResultTypes,
  WhenUndeclared,
} from '../protocol/extensions/extension.ts';
export type * from '../protocol/generated/types/records.ts';
export type {
  CacheHint,
  Done as CompleteOutcome,
  InputRequest as InputRequestMessage,
  Outcome as RequestOutcome,
  Round as CallRound,
  Side,
} from '../protocol/neutral.ts';
export type { ReportProgress } from '../protocol/progress.ts';
export type { RequiredUrl } from '../protocol/required-urls.ts';
export type { ProtocolVersion } from '../protocol/revisions/revisions.ts';
export type {
  JSONRPCError,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
} from '../protocol/specification-names.ts';
export type {
  Input,
  JsonSchemaRequest,
  JsonSchemaTrait,
  Output,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../schema/standard.ts';
export type { Tap, TapEvent, TapHttp, TapOccurrence, TapSide, TapTransport } from '../transport/tap.ts';
export type { Transport, TransportListener } from '../transport/transport.ts';
export type {
  ClientHandlers,
  ElicitFormRequest,
  ElicitFormResult,
  ElicitUrlRequest,
  HandlerContext,
} from './answers/handlers.ts';
export type { HandlerTaskOptions } from './answers/tasks/options.ts';
export { toRequiredUrls } from './answers/url-elicitations.ts';
export type { CacheBounds, CacheOptions, CacheStats } from './api/cache-options.ts';
export { type SharedCache } from './api/cache-options.ts';
export type { Change, Subscription } from './api/changes.ts';
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
} from './api/client.ts';
export type { ConnectionEvent, ConnectionState, ConnectionStateChange } from './api/connection-state.ts';
export type { CheckedServer, Contract } from './api/contract.ts';
export {
  type ClientExtension,
  type ClientExtensions,
  type ClientNotificationDefinition,
  type Requesting,
  type ServerNotificationHandlers,
  type UseExtensionOptions,
} from './api/extensions.ts';
export type { PaginatedList } from './api/listing.ts';
export type {
  ConnectLimits,
  ConnectOptions,
  ConnectTimeouts,
  LogEntry,
  ReconnectOptions,
  RequiredCapability,
} from './api/options.ts';
export type { RememberedTask, Task, TaskMemory, TaskRequestOptions, TasksOptions } from './api/tasks.ts';
export type { ClientTelemetry, SendTraced, TelemetryRequest } from './api/telemetry-port.ts';
export type { CallArguments, PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './api/typing.ts';
export { createSharedCache } from './cache/public-cache.ts';
export { connect, createClient, type ServerLike, type Target as ConnectTarget } from './connect.ts';
export type { ImageInfo } from './content/icon-image.ts';
export { type IconOptions, type LoadedIcon, loadIcon } from './content/load-icon.ts';
export {
  type ModelContent,
  type ModelContentOptions,
  type ModelPart,
  toModelContent,
} from './content/model-content.ts';
export { chooseModel, type ModelCandidate } from './content/models.ts';
export { type Part, toParts, toText } from './content/parts.ts';
export { filterSafeIcons, type IconTrust } from './content/safe-icons.ts';
export type {
  AuthHeaders,
  AuthRefusal,
  AuthRequestInfo,
  ClientAuth,
  ServerAuth,
} from './http/port/client-auth.ts';
export type { HttpTarget } from './http/target.ts';
