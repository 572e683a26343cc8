/** The groups of options of `createServer`, and the limits of them that no option sets. */

/**
 * The limits of a server.
 * @area server
 */
export interface ServerLimits {
  /**
   * Calls of one connection that run at once.
   * @default 1000
   * @beyond the call is rejected
   * @code overloaded
   */
  readonly maxConcurrentCalls?: number;
  /**
   * How often one call may request input from the client.
   * @default 16
   * @beyond the client gets `internal-error`, `onError` gets the code
   * @code too-many-input-rounds
   */
  readonly maxInputRounds?: number;
}

/**
 * How the state of a call that waits for input is sealed. It travels through the client as `requestState`.
 * @area server
 */
export interface RequestStateOptions {
  /**
   * How long a request state can be used.
   * @default 15 min
   * @most none
   * @beyond the call is rejected with -32602
   * @code invalid-request-state
   */
  readonly ttlMs?: number;
  /**
   * Makes each state usable once, so that every repeat is refused: stores the nonce until `expires` (milliseconds since
   * 1970), and returns whether it is new.
   * @default computed the store of the server remembers the calls that have finished: a repeat gets the same result, or an error, and its handler does not run again
   */
  readonly consumeNonce?: (nonce: string, expires: number) => boolean | Promise<boolean>;
  /**
   * Whether input responses need the state of the call that requested them. With `false`, responses without a state are
   * accepted too: they may answer a request that has changed since, or that another user got.
   * @default true
   */
  readonly required?: boolean;
}

/**
 * Characters of a request state, sealed.
 * @limit RequestStateOptions.maxChars
 * @beyond the client gets `internal-error`, `onError` gets the code
 * @code request-state-too-large
 */
export const maxStateChars = 64 * 1024;

/**
 * Finished calls whose request states are remembered until they expire, without a store; a quarter of them for one caller. Callers without a principal count by address, and have as many of their own.
 * @limit RequestStateOptions.maxUsed
 * @beyond a call that continues is rejected until some expire
 * @code overloaded
 */
export const maxUsedStates = 100_000;

/**
 * Characters of the stored results of these calls, without a store; a quarter of them for one caller. Callers without a principal have as many of their own.
 * @limit RequestStateOptions.maxResultChars
 * @default 16,000,000
 * @beyond results are dropped, the oldest first; a repeat gets an error
 * @code invalid-request-state
 */
export const maxStateResultChars = 16_000_000;

/**
 * How calls with an idempotency key are stored, so that each runs once.
 * @area server
 */
export interface IdempotencyOptions {
  /**
   * How long a call with an idempotency key is stored after it has finished.
   * @default 1 h
   * @most none
   * @beyond the key is forgotten; a repeat runs again
   */
  readonly ttlMs?: number;
  /**
   * What the store must survive, so that no key is forgotten: with less the server is not served (`store-not-durable`).
   * @default off, any store will do
   */
  readonly durability?: 'process' | 'disk';
}

/**
 * Stored calls with idempotency keys, without a store; a quarter of them for one caller. Callers without a principal count by address, and have as many of their own.
 * @limit IdempotencyOptions.maxEntries
 * @beyond a call with a new key is rejected until some are forgotten
 * @code overloaded
 */
export const maxIdempotentCalls = 100_000;

/**
 * Characters of the stored results of calls with keys, without a store; a quarter of them for one caller. Callers without a principal have as many of their own.
 * @limit IdempotencyOptions.maxChars
 * @default 16,000,000
 * @beyond results are dropped, the oldest first; a repeat gets an error
 */
export const maxIdempotentChars = 16_000_000;

/**
 * How tasks run and how much they may store.
 * @area server
 */
export interface TaskLimits {
  /**
   * Tasks that run at once in this process.
   * @default 32
   * @beyond further tasks wait
   */
  readonly maxConcurrent?: number;
  /**
   * Unfinished tasks of one principal.
   * @default 100
   * @beyond a further call is rejected; one that runs stays a call
   * @code overloaded
   */
  readonly maxPerPrincipal?: number;
  /**
   * How long a process that is lost holds its tasks, before another one continues them.
   * @default 15 s
   * @most none
   */
  readonly leaseMs?: number;
  /**
   * How long the outcome of a task is stored at least.
   * @default 10 min
   * @most none
   * @beyond the task is unknown, unless `task.ttlMs` of the tool is longer
   */
  readonly retentionMs?: number;
  /**
   * How long a process that closes waits for the steps of its tasks.
   * @default 5 s
   * @most none
   * @beyond the steps run again elsewhere
   */
  readonly shutdownMs?: number;
  /**
   * What a store that outlives the process must survive, so that no task is lost: with less the server is not served
   * (`store-not-durable`). A store whose durability could not be found out gives a warning.
   * @default computed `'process'`
   */
  readonly durability?: 'memory' | 'process' | 'disk';
  /**
   * Characters of the steps, requests and answers of one task, and of its result by itself.
   * @default 16 Mi
   * @beyond the step or the task fails
   * @code journal-full
   */
  readonly maxJournalChars?: number;
}

/**
 * How often the process of one task may be lost, not counting the first time, after which it runs as the only such task of a process.
 * @limit TaskLimits.maxCrashes
 * @beyond the task fails
 */
export const maxCrashes = 5;

/**
 * Stored tasks of one caller, finished ones included. A caller is a principal or, without one, an address (of IPv6 its network).
 * @limit TaskLimits.maxStoredPerCaller
 * @beyond a further call is rejected until some have expired; one that runs stays a call
 * @code too-many-tasks
 */
export const maxStoredTasksPerCaller = 5000;

/**
 * Stored tasks of a sixteenth of the principals, and of all callers without one.
 * @limit TaskLimits.maxStored
 * @beyond a further call is rejected until some have expired; one that runs stays a call
 * @code too-many-tasks
 */
export const maxStoredTasks = 20_000;

/**
 * Finished tasks of one caller whose results are stored.
 * @limit TaskLimits.maxResultsPerCaller
 * @beyond the oldest results are deleted; the tasks stay, so that their keys do not run again
 */
export const maxTaskResultsPerCaller = 1000;

/**
 * Characters of the finished tasks of one caller, with their arguments and steps; and as many of its unfinished ones, where those under 4096 are not counted. The last one is stored whatever its size.
 * @limit TaskLimits.maxResultCharsPerCaller
 * @default 8 Mi
 * @beyond the oldest results are deleted; the tasks stay, so that their keys do not run again. With as many of unfinished ones a further call is rejected
 * @code overloaded
 */
export const maxTaskResultCharsPerCaller = 8 * 1024 * 1024;

/**
 * Characters of all tasks of a sixteenth of the principals, and of all callers without one, counted alike.
 * @limit TaskLimits.maxResultChars
 * @default 32 Mi
 * @beyond a further call is rejected until some have expired; one that runs stays a call
 * @code too-many-tasks
 */
export const maxTaskResultChars = 32 * 1024 * 1024;

/**
 * Steps, requests and answers of one task.
 * @limit TaskLimits.maxJournalEntries
 * @beyond the step or the task fails
 * @code journal-full
 */
export const maxJournalEntries = 10_000;
