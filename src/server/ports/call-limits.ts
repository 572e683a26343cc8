/** The limits of the calls of one server, on all connections. */

import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedCall, GuardedCaller } from '../../ports/guard.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { CallerInfo } from './caller.ts';
import type { Journal } from './journal.ts';
import type { SentRequest, TaskMemory } from './link.ts';
import type { SourceCaller } from './source-caller.ts';

export interface CallLimits {
  readonly deadlines: Deadlines;
  /** The time limit of a call, unless its definition sets one. */
  readonly timeoutMs: number | undefined;
  /** How often one call may request input. */
  readonly maxInputRounds: number;
  /** Runs calls with an idempotency key once; absent if keys are ignored. */
  readonly idempotency: IdempotentCalls | undefined;
  /** Runs calls as tasks. */
  readonly tasks: TaskCalls;
  /** Whether clients get the reason why a returned value cannot be sent. */
  readonly isDevelopment: () => boolean;
  /** The name of the server, and a tool as it is listed for a caller now. */
  listedTool(name: string, caller: SourceCaller): { readonly server: string; readonly record: object | undefined };
  /** Gets errors of handlers, which clients never get. */
  failed(error: unknown, call: ErrorContext): void;
}

/** The call that an error belongs to, as `onError` gets it. */
export interface ErrorContext {
  /** The method, such as `tools/call`; empty if the error belongs to no call. */
  readonly method: string;
  /** The tool, prompt or URI that was called. */
  readonly target: string;
  /** The id of its HTTP request, if it came over HTTP. */
  readonly requestId?: string;
}

/** One call with an idempotency key: the first, or a duplicate. */
export interface KeyedCall {
  readonly call: Incoming;
  readonly target: string;
  /** The client, as its connection knows it. */
  readonly ports: {
    readonly address: string | undefined;
    readonly origin: { readonly transport: string | undefined };
  };
  readonly context: {
    readonly caller: { readonly principal: Pick<Principal, 'key'> | undefined };
    readonly finished: boolean;
  };
  /** Reports the cause of an error to `onError`. */
  reported(refused: RpcError): RpcError;
  /** Keeps the run going after the client disconnects; `onResult` receives its results, maybe more than one. */
  runOn(onResult: (settled: Settled) => void): void;
}

export interface IdempotentCalls {
  /** Runs `carryOut` for the first call of a key; a duplicate gets its outcome. */
  serve(arrival: KeyedCall, carryOut: () => MaybePromise<Settled>): Promise<Settled>;
}

/** Sends a request to the client of the call, and waits for its answer. */
type SendInput = (
  request: SentRequest,
  signal: AbortSignal,
  onProgress?: undefined,
  memory?: TaskMemory,
) => Promise<unknown>;

/** What a call as a task, or a request about one, needs of its invocation. */
export interface TaskInvocation {
  readonly call: Incoming;
  readonly caller: CallerInfo;
  readonly ports: {
    readonly principal: Principal | undefined;
    readonly address: string | undefined;
    readonly origin: { readonly transport: string | undefined };
    readonly send: SendInput | undefined;
    readonly sessionKey?: string | undefined;
  };
  readonly context: { readonly signal: AbortSignal };
  /** Set by a server with a guard. */
  readonly guarded: GuardedCall | undefined;
}

export interface TaskCalls {
  /** Whether a tool of the server runs as a task. */
  readonly isOffered: boolean;
  /** Creates a task for a call, and resolves with it. `journal` has what the call did before. */
  begin(invocation: TaskInvocation, task: CompiledTask, journal?: Journal): Promise<Settled>;
  /** Runs `handle` now, as the first run of the task that the call may become; or creates its task, where that cannot be. */
  run(invocation: TaskInvocation, task: CompiledTask, handle: () => MaybePromise<Settled>): Promise<Settled>;
  /** Answers a request about a task. */
  serve(invocation: TaskInvocation): Promise<Settled>;
  /** Sends what a task requires to a client that waits for no result of it, and stores the answers. */
  ask(taskId: string, owner: string, client: TaskClient): void;
  /** Cancels the tasks of a principal, at every process that shares the store. */
  revoke(owner: string): void;
  /** How many tasks run in this process, and how many wait for input since. */
  counts(): TaskCounts;
  /** Follows tasks by their ids. What is not the owner's is left out. */
  subscribe(subscriber: TaskSubscriber, ids: readonly string[]): Promise<TaskSubscription>;
}

/** The client of a session that is sent what a task requires. */
export interface TaskClient {
  /** Absent if it is not known; only a guard needs it. */
  readonly caller: GuardedCaller | undefined;
  /** The keys of the requests that it was sent. */
  readonly sent: Set<string>;
  /** Aborted when the task is over. */
  readonly signal: AbortSignal;
  readonly send: SendInput;
}

/** The tasks of one process. */
export interface TaskCounts {
  /** Tasks that run in this process. */
  readonly runningTasks?: number;
  /** Tasks that ran in this process and wait for input since. */
  readonly waitingTasks?: number;
}

/** A caller that follows tasks by a subscription. */
export interface TaskSubscriber {
  readonly owner: string;
  readonly caller: GuardedCaller;
  readonly revision: Revision;
  /** Gets a task, as its revision shows it, when it has changed. */
  notify(task: Fields): void;
}

export interface TaskSubscription {
  /** The tasks that it follows. */
  readonly ids: readonly string[];
  /** Begins to notify: first of tasks that are not at work now. */
  start(): void;
  stop(): void;
}

/** How a tool runs as a task. */
export interface CompiledTask {
  readonly isRequired: boolean;
  /** Whether the handler decides when the call becomes a task, where a client need not know at once. */
  readonly byHandler: boolean;
  /** Which processes can run it: those that have this tool in this version. */
  readonly kind: string;
  readonly ttlMs: number;
  readonly deadlineMs: number;
  readonly pollIntervalMs: number;
  /** How long a call waits for its outcome before it is answered with its task. */
  readonly answerWithinMs: number;
  readonly retry: CompiledRetry;
}

/** How often and when a task is tried again. */
export interface CompiledRetry {
  /** Runs in all. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}
