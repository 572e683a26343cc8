/** The client: connects to servers of every protocol version. */

export { RpcError } from '../jsonrpc/errors.ts';
export { connectSteps } from '../lib/errors/connect-steps.ts';
export { TenonError } from '../lib/errors/tenon-error.ts';
export type {
  ClientHandlers,
  ElicitFormRequest,
  ElicitFormResult,
  ElicitUrlRequest,
  HandlerContext,
} from './answers/handlers.ts';
export { toRequiredUrls } from './answers/url-elicitations.ts';
export type { CacheBounds, CacheOptions, CacheStats, SharedCache } from './api/cache-options.ts';
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
export type {
  ClientExtension,
  ClientExtensions,
  ClientNotificationDefinition,
  Requesting,
  ServerNotificationHandlers,
  UseExtensionOptions,
} from './api/extensions.ts';
export type { PaginatedList } from './api/listing.ts';
export type { ConnectOptions, LogEntry, RequiredCapability } from './api/options.ts';
export type { ReconnectOptions } from './api/reconnect-options.ts';
export type { RememberedTask, Task, TaskMemory, TaskRequestOptions, TasksOptions } from './api/tasks.ts';
export type { ClientTelemetry, SendTraced, TelemetryRequest } from './api/telemetry-port.ts';
export type { CallArguments, PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './api/typing.ts';
export { createSharedCache } from './cache/public-cache.ts';
export { connect, createClient, type ServerLike, type Target as ConnectTarget } from './connect.ts';
export type { ImageInfo } from './content/icon-image.ts';
export type { IconOptions } from './content/icon-options.ts';
export { type LoadedIcon, loadIcon } from './content/load-icon.ts';
export {
  type ModelContent,
  type ModelContentOptions,
  type ModelPart,
  toModelContent,
} from './content/model-content.ts';
export { chooseModel, type ModelCandidate } from './content/models.ts';
export { type Part, toParts, toText } from './content/parts.ts';
export { filterSafeIcons, type IconTrust } from './content/safe-icons.ts';
export type { AuthHeaders, AuthRefusal, AuthRequestInfo, ClientAuth, ServerAuth } from './http/port/client-auth.ts';
export type { HttpTarget } from './http/target.ts';
