/** Middleware as an author writes it: one ordered list around every call, for tracing, permissions, limits and audit. */
import type { CallOutcome } from '../../ports/call-outcome.ts';
import type { RequestDetails } from '../ports/request-details.ts';
import type { Context } from './context.ts';

/** A call as middleware gets it. */
export interface MiddlewareCall {
  /** The method of the request, such as `tools/call`. */
  readonly method: string;
  /** The name or URI that is called or completed, the log level that is set, or the filter of a subscription as JSON; empty for lists. */
  readonly target: string;
  /** The params of the request. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The context of the call. A call with several rounds passes once for each; `ctx.callId` stays the same. */
  readonly ctx: MiddlewareContext;
}

/** The context that middleware gets: that of handlers, and the request. */
export interface MiddlewareContext extends Context {
  /** The request: its ID, transport and headers. */
  readonly request: RequestDetails;
  /** Whether this run has no effect any more: the call is answered, cancelled, or continues in another run. */
  readonly finished: boolean;
}

/**
 * Runs around every call. Call `next()` to continue, throw an `rpcError()` to reject, or return an outcome of your own:
 * `{ resultType: 'complete', result }`. `next()` resolves when the call is answered; for a subscription, when it ends.
 *
 * ```ts
 * const timing: Middleware = async (call, next) => {
 *   const start = performance.now();
 *   const outcome = await next();
 *   console.error(call.method, call.target, performance.now() - start);
 *   return outcome;
 * };
 * ```
 */
export type Middleware = (call: MiddlewareCall, next: () => Promise<CallOutcome>) => CallOutcome | Promise<CallOutcome>;
