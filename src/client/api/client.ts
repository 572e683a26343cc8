/** A client as its user holds it: methods by name, typed by the server where its type is known. */
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type {
  Completion,
  CompletionReference,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { CacheStats } from './cache-options.ts';
import type { ChangeFilter, Subscription } from './changes.ts';
import type { ConnectionState, ConnectionStateChange } from './connection-state.ts';
import type { Requesting } from './extensions.ts';
import type { PaginatedList } from './listing.ts';
import type { Following, PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './typing.ts';

export interface CallOptions extends RequestOptions {
  /** How long the server may be silent; what it tells of its progress begins that time anew. */
  readonly timeoutMs?: number;
  /** How long the call may take in all, however lively it is. */
  readonly maxTotalTimeoutMs?: number;
  /**
   * Whether the call may be sent again when its connection broke off and nobody knows what became of it. A tool is sent
   * once unless this says otherwise; what only looks, such as a list, is sent again unless this says otherwise.
   */
  readonly retryable?: boolean;
  /** A name of your own for what is to be done once. A Tenon server carries it out once however often it arrives. */
  readonly idempotencyKey?: string;
  /** Fetches a list or a resource from the server, whatever is kept of it. */
  readonly fresh?: boolean;
  /** Hears how far the call is. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /** Goes along in `_meta`: trace context, or keys of your own. */
  readonly meta?: Readonly<Fields>;
}

/** How long to wait until something is there that then stays, and what gives up waiting for it. */
export type WaitOptions = Pick<CallOptions, 'signal' | 'timeoutMs'>;

export interface Watcher {
  close(): Promise<void>;
}

/** What a client keeps of lists and reads, and how often that was of use. */
export interface ClientCache {
  readonly counts: Readonly<CacheStats>;
  clear(): void;
}

/** The connection beneath a client, which may change while the client stays. */
export interface ClientConnection {
  readonly state: ConnectionState;
  /** Hears every change of state until what it gives back is called. */
  on(what: 'state', hear: (change: ConnectionStateChange) => void): () => void;
  /** Connects if need be; settles when calls can be made, or with what the first attempt came to. */
  ready(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

export interface Client<S = unknown> extends AsyncDisposable, Requesting<CallOptions> {
  readonly connection: ClientConnection;
  readonly protocolVersion: string;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** What arrived and was dropped, by why. */
  readonly counts: Readonly<PeerCounts>;
  /** What is kept of lists and reads. */
  readonly cache: ClientCache;
  readonly tools: {
    list(options?: CallOptions): PaginatedList<Tool>;
    call<N extends ToolNames<S>>(
      name: N,
      ...following: Following<ToolInput<S, N>, CallOptions>
    ): Promise<ToolResult<S, N>>;
    /** Lists now and again after every change. */
    watchList(hear: (tools: Tool[]) => void, options?: WaitOptions): Promise<Watcher>;
  };
  readonly resources: {
    list(options?: CallOptions): PaginatedList<Resource>;
    listTemplates(options?: CallOptions): PaginatedList<ResourceTemplate>;
    read(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
    /** List now and again after every change. */
    watchList(hear: (resources: Resource[]) => void, options?: WaitOptions): Promise<Watcher>;
    watchTemplates(hear: (templates: ResourceTemplate[]) => void, options?: WaitOptions): Promise<Watcher>;
    /** Reads now and again after every change. */
    watch(
      uri: string,
      hear: (contents: ReadResourceResult['contents']) => void,
      options?: WaitOptions,
    ): Promise<Watcher>;
  };
  readonly prompts: {
    list(options?: CallOptions): PaginatedList<Prompt>;
    /** Lists now and again after every change. */
    watchList(hear: (prompts: Prompt[]) => void, options?: WaitOptions): Promise<Watcher>;
    get<N extends PromptNames<S>>(
      name: N,
      ...following: Following<PromptArguments<S, N>, CallOptions>
    ): Promise<GetPromptResult>;
  };
  complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    given?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion>;
  setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void>;
  /** Asks whether the server is there. Sessions only. */
  ping(options?: RequestOptions): Promise<void>;
  /** Hears of changes, however the revision tells of them. The options count until it does; `close()` ends it. */
  subscribe(filter: ChangeFilter, options?: WaitOptions): Promise<Subscription>;
  /** Tells the server that the roots have changed. */
  sendRootsListChanged(): void;
  /** Calls a method by name, as the protocol has it. */
  call(method: string, params?: Fields, options?: CallOptions): Promise<Fields>;
  /** Lets calls under way end, for at most `timeoutMs` (5 seconds), then ends the connection. New calls are refused. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}
