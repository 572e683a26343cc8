/** The client: connect to any server, speak whichever revision it speaks. */
export type { ReportProgress } from '../protocol/progress.ts';
export type { ClientHandlers, ElicitFormRequest, ElicitUrlRequest, HandlerContext } from './answers/handlers.ts';
export { toRequiredUrls } from './answers/url-elicitations.ts';
export type { CacheOptions, CacheStats } from './api/cache-options.ts';
export { type SharedCache } from './api/cache-options.ts';
export type { Change, Subscription } from './api/changes.ts';
export type {
  CallOptions,
  Client,
  ClientCache,
  ClientConnection,
  ClientStats,
  WaitOptions,
  Watcher,
} from './api/client.ts';
export type { ConnectionState, ConnectionStateChange } from './api/connection-state.ts';
export {
  type ClientExtension,
  type ClientExtensions,
  type ClientNotificationDefinition,
  type Requesting,
  type ServerNotificationHandlers,
  useExtension,
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
export type { ClientTelemetry, SendTraced, TelemetryRequest } from './api/telemetry-port.ts';
export type { PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './api/typing.ts';
export { createSharedCache } from './cache/public-cache.ts';
export { connect, createClient, type ServerLike } from './connect.ts';
export { type IconOptions, type LoadedIcon, loadIcon } from './content/icons/load.ts';
export { filterSafeIcons, type IconTrust } from './content/icons/safe.ts';
export {
  type ModelContent,
  type ModelContentOptions,
  type ModelPart,
  toModelContent,
} from './content/model-content.ts';
export { chooseModel, type ModelCandidate } from './content/models.ts';
export { type Part, toParts, toText } from './content/parts.ts';
export type { HttpTarget } from './http/target.ts';
