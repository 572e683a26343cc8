/** Middleware as an author writes it: one ordered list around every call, for tracing, permissions, limits and audit. */
import type { Fields } from '../../protocol/neutral.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import type { RequestDetails } from '../ports/request-details.ts';
import type { Context } from './context.ts';

/** A call as the chain sees it. */
export interface MiddlewareCall {
  readonly method: string;
  /** The tool, prompt or URI that is called or completed, the level that is set, the filter of who listens as JSON; empty for lists. */
  readonly target: string;
  readonly params: Readonly<Fields>;
  /** With the call's id and round: the same call comes once for each round. */
  readonly ctx: MiddlewareContext;
}

/** What the chain sees of a call beyond what handlers do. */
export interface MiddlewareContext extends Context {
  readonly request: RequestDetails;
  /** Whether nobody waits for this run any more: the call is answered, given up, or goes on in another run. */
  readonly finished: boolean;
}

/**
 * Goes on by `next`, refuses by throwing an `RpcError`, or answers by itself. What `next` gives comes when the request is
 * answered: for who listens, when that ends.
 */
export type Middleware = (call: MiddlewareCall, next: () => Promise<CallOutcome>) => CallOutcome | Promise<CallOutcome>;
