/** The client: connect to any server, speak whichever revision it speaks. */
export type { TellProgress } from '../protocol/progress.ts';
export type { Answers, FormAsked, UrlAsked } from './answers.ts';
export type { CacheCounts } from './cache/counts.ts';
export type { CacheOptions } from './cache/options.ts';
export { createSharedCache, type SharedCache } from './cache/public-shelves.ts';
export type { CallTrace, SendTraced, TracedRequest } from './call-trace.ts';
export type { Change, ChangeFilter, Changes } from './changes.ts';
export type { CallOptions, Client, ClientCache, ClientConnection, Watching } from './client.ts';
export { type Acceptor, connect, createClient } from './connect.ts';
export type { LogEntry } from './connection.ts';
export {
  type ClientExtensions,
  type ClientNews,
  type Hearing,
  type Requesting,
  type UsedExtension,
  useExtension,
} from './extensions.ts';
export type { HttpTarget } from './http/target.ts';
export { type IconOptions, type LoadedIcon, loadIcon } from './icons/load.ts';
export { type IconTrust, safeIcons } from './icons/safe.ts';
export type { StateChange, StateName } from './life/table.ts';
export type { Listing } from './listing.ts';
export { type ModelPart, type ModelPolicy, type ModelView, toModel } from './model-view.ts';
export { chooseModel, type ModelOffered } from './models.ts';
export type { ConnectOptions, Expectation, ReconnectOptions } from './options.ts';
export { requiredPagesOf } from './pages.ts';
export { type Part, partsOf, textOf } from './parts.ts';
export type { PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './typing.ts';
