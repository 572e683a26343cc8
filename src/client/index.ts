/** The client: connect to any server, speak whichever revision it speaks. */
export type { TellProgress } from '../protocol/progress.ts';
export type { Answers, FormAsked, UrlAsked } from './answers/handlers.ts';
export { requiredPagesOf } from './answers/url-elicitations.ts';
export type { CacheCounts, CacheOptions } from './api/cache-options.ts';
export { type SharedCache } from './api/cache-options.ts';
export type { Change, ChangeFilter, Changes } from './api/changes.ts';
export type { CallOptions, Client, ClientCache, ClientConnection, Watching } from './api/client.ts';
export type { StateChange, StateName } from './api/connection-state.ts';
export {
  type ClientExtensions,
  type ClientNews,
  type Hearing,
  type Requesting,
  type UsedExtension,
  useExtension,
} from './api/extensions.ts';
export type { Listing } from './api/listing.ts';
export type { ConnectOptions, Expectation, LogEntry, ReconnectOptions } from './api/options.ts';
export type { CallTrace, SendTraced, TracedRequest } from './api/telemetry-port.ts';
export type { PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './api/typing.ts';
export { createSharedCache } from './cache/public-cache.ts';
export { type Acceptor, connect, createClient } from './connect.ts';
export { type IconOptions, type LoadedIcon, loadIcon } from './content/icons/load.ts';
export { type IconTrust, safeIcons } from './content/icons/safe.ts';
export { type ModelPart, type ModelPolicy, type ModelView, toModel } from './content/model-content.ts';
export { chooseModel, type ModelOffered } from './content/models.ts';
export { type Part, partsOf, textOf } from './content/parts.ts';
export type { HttpTarget } from './http/target.ts';
