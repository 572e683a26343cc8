/** The client that `connect` and `createClient` return, typed by the type of the server. */
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { MethodDefinition, MethodResult } from '../../protocol/extensions/extension.ts';
import type {
  CallToolResult,
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
  SubscriptionFilter,
  Tool,
} from '../../protocol/generated/types/records.ts';
import type { Outcome, Round } from '../../protocol/neutral.ts';
import type { Input } from '../../schema/standard.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { CacheStats } from './cache-options.ts';
import type { Subscription } from './changes.ts';
import type { ConnectionState, ConnectionStateChange } from './connection-state.ts';
import type { Requesting } from './extensions.ts';
import type { PaginatedList } from './listing.ts';
import type { LogEntry } from './options.ts';
import type { Task, TaskRequestOptions } from './tasks.ts';
import type { CallArguments, PromptArguments, PromptNames, ToolInput, ToolNames, ToolResult } from './typing.ts';

/** The options of one call. */
export interface CallOptions {
  /** Cancels the call. It rejects with `cancelled`, and the server is notified. */
  readonly signal?: AbortSignal;
  /** How long the call waits without a message from the server. Default `timeoutMs` of `connect`. Progress restarts it. */
  readonly timeoutMs?: number;
  /** The longest time of the call, however much progress it reports. Default `timeouts.maxTotalMs` of `connect`. */
  readonly maxTotalTimeoutMs?: number;
  /**
   * Whether the call may be sent again when its outcome is unknown: the connection broke, or a gateway answered for the
   * server. With `true` it is, until `timeoutMs` have passed since it first failed. Default `false` for tools; calls that
   * only read, such as lists, are sent up to 5 times.
   */
  readonly retryable?: boolean;
  /**
   * Your own key for a call that must run only once. A Tenon server runs it once, even if it receives it again; so over
   * HTTP it is `retryable`.
   */
  readonly idempotencyKey?: string;
  /** `'reload'` fetches a list or a resource from the server, even if it is cached. */
  readonly cache?: 'reload';
  /** Called with the progress of the call. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /**
   * Called with the log messages of this call, in place of `onLog` of `connect`. In a session over stdio messages that may
   * belong to several calls go there.
   */
  readonly onLog?: (entry: LogEntry) => void;
  /** The level from which the server sends log messages of this call. Without sessions only: a session has one level. */
  readonly logLevel?: LoggingLevel;
  /** Sent in `_meta`: trace context, or keys of your own. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Handlers for the server requests of this call, before those of `connect`, which declare the capabilities. In a session
   * over stdio a request that may belong to several calls goes to those of `connect`.
   */
  readonly answers?: ClientHandlers;
}

/** The options of one round of a call. */
export interface RoundOptions extends CallOptions {
  /** The answers to the round before this one, and its `state`. Absent for the first. */
  readonly round?: Round;
  /** Whether a call of a tool may become a task, which is an outcome then. Default `true`. */
  readonly task?: boolean;
}

/** The options of a call of a tool. */
export interface ToolCallOptions extends CallOptions {
  /**
   * Whether the call may become a task, which is followed to its result. By default as the tool says. Without
   * sessions the server decides whether it becomes one, and `false` forbids it. In a session the client does: `true`, or an
   * object, requests one.
   */
  readonly task?: boolean | TaskRequestOptions;
  /**
   * Called with the task that the call has become, and awaited before the task is followed. Not called for a call that the
   * server answers with its result.
   */
  readonly onTask?: (task: Task) => unknown;
  /**
   * Called when the status of the task, or its `statusMessage`, has changed. It takes the place of `onProgress` where the
   * server reports progress only while the response to the call is open.
   */
  readonly onTaskStatus?: (task: Task) => void;
}

/** One request of a batch. */
export interface BatchRequest {
  /** The name of the method, such as `tools/call`. */
  readonly method: string;
  /** Its params, as the protocol defines them. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Options for opening a subscription or a watcher: its time limit and a signal to cancel it. */
export type WaitOptions = Pick<CallOptions, 'signal' | 'timeoutMs'>;

/** A list or resource that is watched until `close()`. */
export interface Watcher {
  /** Stops watching and ends the subscription. */
  close(): Promise<void>;
}

/** Numbers of messages that a client has received and dropped. */
export interface ClientStats {
  /** Messages that were dropped: `late`, `unknown` and `invalid` ones. */
  readonly dropped: Readonly<PeerCounts>;
}

/** The cache of lists and resources of a client. */
export interface ClientCache {
  /** How often the cache was used. */
  stats(): CacheStats;
  /** Removes everything from the cache. */
  clear(): void;
}

/** The tasks of a server. */
export interface ClientTasks {
  /** Reads a task. Rejects with `task-not-found` if the server does not know it. */
  get(taskId: string, options?: CallOptions): Promise<Task>;
  /**
   * Lists tasks: those that the server lists, where the protocol version and the server have that, otherwise those that
   * the option `tasks.memory` of `connect` remembers. With neither it rejects with `capability-not-supported`.
   */
  list(options?: CallOptions): PaginatedList<Task>;
  /** Calls `onChange` with the task now, and after every change, until the task is over or `close()` is called. */
  watch(taskId: string, onChange: (task: Task) => void, options?: WaitOptions): Promise<Watcher>;
  /**
   * Answers `inputRequests` of a task by their keys. Where the server sends its requests while `result` waits, your
   * `handlers` answer them, and this rejects with `capability-not-supported`.
   */
  answer(
    taskId: string,
    answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    options?: CallOptions,
  ): Promise<void>;
  /** Requests that a task stops. One that is over stays as it is. */
  cancel(taskId: string, options?: CallOptions): Promise<void>;
  /**
   * Follows a task to its end and returns the result of its call. Your `handlers` answer what it requires. Rejects with
   * the error of the call, with `task-cancelled`, or with `task-not-found`.
   */
  result(taskId: string, options?: CallOptions): Promise<CallToolResult>;
}

/** The connection of a client. The client stays the same when it reconnects. */
export interface ClientConnection {
  /** The current state: `ready` while calls can be sent. */
  readonly state: ConnectionState;
  /** Calls the listener with every change of state. Returns a function that removes it. */
  on(event: 'state', listener: (change: ConnectionStateChange) => void): () => void;
  /** Connects if necessary. Resolves when calls can be sent; rejects with the error of the first attempt. */
  ready(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/**
 * A client of one server. With the type of the server, `connect<typeof server>(url)`, names, arguments and results are typed.
 *
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp');
 * const tools = await client.tools.list().all();
 * const result = await client.tools.call('forecast', { city: 'Rome' });
 * console.log(toText(result));
 * await client.close();
 * ```
 */
export interface Client<S = unknown> extends AsyncDisposable, Requesting<CallOptions> {
  /** The connection: its state, and events when that changes. */
  readonly connection: ClientConnection;
  /** The protocol version in use. */
  readonly protocolVersion: string;
  /** The name and version of the server, if it sent them. */
  readonly serverInfo: Implementation | undefined;
  /** The capabilities that the server declared. */
  readonly capabilities: ServerCapabilities;
  /** How the server wants to be used, for the model. */
  readonly instructions: string | undefined;
  /** The cache of lists and resources. */
  readonly cache: ClientCache;
  /** Numbers of received and dropped messages, over all connections. */
  stats(): ClientStats;
  /** The tools of the server. */
  readonly tools: {
    /** Lists the tools: iterate over it, or call `.all()` or `.pages()`. */
    list(options?: CallOptions): PaginatedList<Tool>;
    /**
     * Calls a tool. A failure of the tool itself is a result with `isError`, not an exception. A call that becomes a task
     * is followed to its result: aborting cancels the task; after a timeout or `close()` it goes on, and the error has
     * its ID in `details.taskId`.
     */
    call<N extends string>(
      // A name that only the running program knows is a `string`.
      name: N extends ToolNames<S> ? N : string extends N ? N : ToolNames<S>,
      ...following: CallArguments<ToolInput<S, N>, ToolCallOptions>
    ): Promise<ToolResult<S, N>>;
    /** Calls `onChange` with the list now, and after every change. */
    watchList(onChange: (tools: Tool[]) => void, options?: WaitOptions): Promise<Watcher>;
  };
  /** The tasks of the server. */
  readonly tasks: ClientTasks;
  /** The resources and resource templates of the server. */
  readonly resources: {
    /** Lists the resources: iterate over it, or call `.all()` or `.pages()`. */
    list(options?: CallOptions): PaginatedList<Resource>;
    /** Lists the resource templates: iterate over it, or call `.all()` or `.pages()`. */
    listTemplates(options?: CallOptions): PaginatedList<ResourceTemplate>;
    /** Reads a resource. Rejects with `resource-not-found` if it does not exist. */
    read(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
    /** Calls `onChange` with the list now, and after every change. */
    watchList(onChange: (resources: Resource[]) => void, options?: WaitOptions): Promise<Watcher>;
    /** Calls `onChange` with the templates now, and after every change. */
    watchTemplates(onChange: (templates: ResourceTemplate[]) => void, options?: WaitOptions): Promise<Watcher>;
    /** Calls `onChange` with the contents now, and after every change. */
    watch(
      uri: string,
      onChange: (contents: ReadResourceResult['contents']) => void,
      options?: WaitOptions,
    ): Promise<Watcher>;
  };
  /** The prompts of the server. */
  readonly prompts: {
    /** Lists the prompts: iterate over it, or call `.all()` or `.pages()`. */
    list(options?: CallOptions): PaginatedList<Prompt>;
    /** Calls `onChange` with the list now, and after every change. */
    watchList(onChange: (prompts: Prompt[]) => void, options?: WaitOptions): Promise<Watcher>;
    /** Gets the messages of a prompt. */
    get<N extends string>(
      name: N extends PromptNames<S> ? N : string extends N ? N : PromptNames<S>,
      ...following: CallArguments<PromptArguments<S, N>, CallOptions>
    ): Promise<GetPromptResult>;
  };
  /**
   * Completes an argument of a prompt or a variable of a resource template. `context` has the arguments that are known.
   *
   * @example
   * ```ts
   * const { values } = await client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: 'Ro' });
   * ```
   */
  complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion>;
  /** Sets the lowest level of log messages, also for later connections. */
  setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void>;
  /** Checks that the server responds, under every protocol version. */
  ping(options?: WaitOptions): Promise<void>;
  /** Subscribes to changes, under every protocol version. The options apply until the subscription is open. */
  subscribe(filter: SubscriptionFilter, options?: WaitOptions): Promise<Subscription>;
  /** Notifies the server that the roots have changed. Does nothing where the protocol version has no such notification. */
  sendRootsListChanged(): void;
  /** Sends any request by the name of its method, with the params and the result of the protocol. */
  request(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>;
  /**
   * Sends one round of a call, without following it: what it requires, or the task it becomes, is the outcome. Pass the
   * answers and the `state` to the next round, from this process or another one. Without sessions only: in a session the
   * server sends its requests to `handlers`, and the first round returns the result.
   *
   * @example
   * ```ts
   * const first = await client.round('tools/call', { name: 'book', arguments: {} });
   * if (first.resultType === 'input_required') {
   *   const round = { answers: await askUser(first.inputRequests), state: first.state };
   *   const second = await client.round('tools/call', { name: 'book', arguments: {} }, { round });
   * }
   * ```
   */
  round(method: string, params?: Record<string, unknown>, options?: RoundOptions): Promise<Outcome>;
  /** Sends a request of an extension. Params and result are validated; the server must declare the extension. */
  request<M extends MethodDefinition>(
    method: M,
    ...following: CallArguments<Input<M['params']>, CallOptions>
  ): Promise<MethodResult<M>>;
  /**
   * Sends several requests as one batch and resolves with the outcome of each, in their order, as `Promise.allSettled`
   * does. Where the protocol version has no batches, it rejects with `capability-not-supported`.
   *
   * @example
   * ```ts
   * const [tools, pong] = await client.batch([{ method: 'tools/list' }, { method: 'ping' }]);
   * ```
   */
  batch(
    requests: readonly BatchRequest[],
    options?: WaitOptions,
  ): Promise<PromiseSettledResult<Record<string, unknown>>[]>;
  /** Rejects new calls, waits up to `timeoutMs` (default 5000) for running calls, then closes the connection. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}
