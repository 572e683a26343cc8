/** The run of a handler, as a bridge to another server needs it beside the context: who calls, and how the run has ended. */
import type { InputRequest } from '../../protocol/neutral.ts';
import type { BaseContext } from '../definition/context.ts';
import type { ServerRequestOptions } from '../definition/server-requests.ts';
import type { SourceCaller } from '../ports/source-caller.ts';

/** A run of a handler. */
export interface BridgedRun {
  /** Who calls. */
  readonly by: SourceCaller;
  /** The headers of the HTTP request without credentials; `undefined` where there is none. Created when read. */
  readonly sentHeaders: Readonly<Record<string, string>> | undefined;
  /** The same object for all calls of one server. */
  readonly server: object;
  /** Whether the run has ended to request input, so that the next one continues the call. */
  readonly isSuspended: boolean;
  /**
   * Sends the client a request of another server, as it is, and resolves with the answer as it is; rejects with the error of
   * a client that refuses. Ends the run where the protocol version has no requests of servers.
   */
  forward(key: string, request: InputRequest, options?: ServerRequestOptions): Promise<unknown>;
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
export function runOf(context: BaseContext): BridgedRun;
/** As much of one as a run at another process has. */
export function runOf<Run>(context: BaseContext | { readonly [bridgedRun]: Run }): BridgedRun | Run;
export function runOf(context: object): unknown {
  return (context as RunContext)[bridgedRun];
}
