/** The outcome of one run of a call: its result, or the input that it requires to continue. */
import type { RpcError } from '../jsonrpc/errors.ts';
import type { Done, InputRequest } from '../protocol/neutral.ts';

/** The outcome of a call, as middleware gets it from `next()` and returns it. */
export type CallOutcome = Done | InputRequiredOutcome | TaskOutcome;

/** How a run of a call ends: with its outcome, or with the error that its client gets. */
export type Settled = CallOutcome | RpcError;

/** The call continues as a task, which its client follows. */
export interface TaskOutcome {
  readonly resultType: 'task';
  /** The task, as the protocol version of the call shows it. */
  readonly task: Record<string, unknown>;
}

/** The call waits: the client answers these requests, then it continues. */
export interface InputRequiredOutcome {
  readonly resultType: 'input_required';
  /** The requests to the client, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /** The state of the call so far. Middleware returns it unchanged. */
  readonly journal: unknown;
}
