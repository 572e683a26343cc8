/** The run of a handler, as a bridge to another server needs it beside the context: who calls, and how the run has ended. */
import type { BaseContext } from '../definition/context.ts';

/** A run of a handler. */
export interface BridgedRun {
  /** Names the session of the call, or its connection; absent where every request comes alone. */
  readonly connectionKey: string | undefined;
  /** Whose share of a limit the call counts for, as `shareOf()` names it. */
  readonly share: string | undefined;
  /** The same object for all calls of one server. */
  readonly server: object;
  /** Whether the run has ended to request input, so that the next one continues the call. */
  readonly isSuspended: boolean;
  /** Whether an earlier run of the call has sent a request under a key that begins so. */
  hasRequested(prefix: string): boolean;
}

/** The member of a context that has its run. */
export const bridgedRun: unique symbol = Symbol('tenon.bridgedRun');

/** A context that has its run: any that Tenon passes to a handler. */
export interface RunContext extends BaseContext {
  readonly [bridgedRun]: BridgedRun;
}

/** The run of a context that a handler got. */
export const runOf = (context: BaseContext): BridgedRun => (context as RunContext)[bridgedRun];
