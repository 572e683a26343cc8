/** The ports of a call, which its connection or its task provides. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Done, Incoming, Notification } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { TaskAttempt } from '../definition/context.ts';
import type { CompiledRetry } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal } from '../ports/journal.ts';
import type { RequestDetails } from '../ports/request-details.ts';
import type { SendRequest, StoreStep } from '../server-requests/run/server-request-ports.ts';
import type { SleepPorts } from '../server-requests/run/sleep.ts';

export interface CallPorts {
  /** Receives the outcome of a run, exactly once. */
  settled(settled: Settled): void;
  /** Sends a notification that belongs to this call. */
  emit(notification: Notification): void;
  /** Ends the connection, not the call, where the client can resume it. */
  disconnect(retryMs: number): void;
  /** Sends a request to the client and waits. Absent where a request ends the run. */
  readonly send: SendRequest | undefined;
  /** Set for a run of a task. */
  readonly task?: TaskPorts | undefined;
  /** Set for a call that changes the state of the connection. */
  readonly remember: Remember | undefined;
  readonly caller: CallerInfo;
  /** The principal that sent the request. */
  readonly principal: Principal | undefined;
  /** The IP address of the client, if the transport knows it. */
  readonly address: string | undefined;
  /** The schemes that the URL of an elicitation may have. */
  readonly urlSchemes: readonly string[];
  /** Names the session of the call in the tasks that it creates. */
  readonly sessionKey?: string | undefined;
  /** Names the session of the call, or its connection; absent where every request comes alone. */
  readonly connectionKey?: string | undefined;
  /** The id of the HTTP request of the call, for logs. */
  readonly requestId?: string | undefined;
  /** Created when read. */
  readonly origin: RequestDetails;
  /** The headers of the HTTP request without credentials, by their names in lower case; absent without a request. */
  readonly sentHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Further ports of the run of a task. */
export interface TaskPorts {
  describe(): TaskAttempt;
  /** Stores the results of steps. */
  readonly storeStep: StoreStep;
  /** The handler threw an error that is not meant for its client. */
  threw(error: unknown, retry: CompiledRetry): void;
  /** The time of sleeps. */
  readonly sleep: SleepPorts;
  /** The progress of the task, whether or not its creator wants notifications. */
  progressed(update: ProgressUpdate): void;
}

/** The clock of a call, which is paused while server requests wait. */
export interface CallClock {
  pause(): void;
  resume(): void;
}

/** Changes the state of the connection: a log level, a subscription, a listener. A listener has no outcome yet, and ends with `finish`. */
export type Remember = (
  call: Incoming,
  context: { readonly signal: AbortSignal },
  finish: (settled: Done | RpcError) => void,
) => MaybePromise<Done | RpcError | undefined>;

/** The journal of the earlier rounds of a call, and the answers received since. */
export interface Resumption {
  readonly journal: Journal;
  readonly answers: Readonly<Record<string, unknown>>;
  /** The answers to requests that the handler returned, each validated by its request. */
  readonly returned: Readonly<Record<string, unknown>>;
}
