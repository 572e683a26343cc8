/** One call on its way through a method of the kernel. */

import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../jsonrpc/promise-like.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Done, Fields, Incoming } from '../../protocol/neutral.ts';
import type { NeedsInput } from '../definition/returns.ts';
import type { Terms } from '../ports/call-limits.ts';
import type { Settled } from '../ports/call-outcome.ts';
import { endWithQuestions } from '../server-requests/returned-requests.ts';
import type { CallContext, CallPorts } from './context.ts';

/** An object, not a function: on this path every closure is felt. */
export interface Ending {
  end(): void;
}

export interface Invocation {
  readonly call: Incoming;
  readonly context: CallContext;
  readonly target: string;
  readonly ports: CallPorts;
  readonly terms: Terms;
  /** Whether a chain stands around the method. */
  readonly isChained: boolean;
  /** How long results stay fresh, unless a definition says otherwise. */
  readonly cache: CacheHint | undefined;
  finish(settled: Settled | RpcError): void;
  /** Ends the call with what a handler threw. A run that has ended already stays as it is. */
  fail(error: unknown): void;
  /** Ends with the call, in whichever way that does. */
  atEnd(ending: Ending): void;
  /** Ends the call because its time is over. */
  expired(error: RpcError): void;
  /** Has the run go on when whoever brought the call is gone, and tells what it comes to, maybe more than once. */
  outlast(hear: (settled: Settled | RpcError) => void): void;
}

/** Whether a handler asked what this caller cannot be asked; another client's refusal that it ran into is no such thing. */
export const isUnaskable = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'capability-not-supported' && 'requiredCapabilities' in error.details;

export const done = (result: Fields): Done => ({ kind: 'done', result });

export const resourceMissing = (uri: string): RpcError => rpcError('resource-not-found', 'Resource not found', { uri });

/** Goes on with a value now, or when its promise has settled; a throw of any kind, in `proceed` too, goes to `fail`. */
export function whenSettled<T>(
  start: () => T | PromiseLike<T>,
  proceed: (value: T) => void,
  fail: (error: unknown) => void,
): void {
  try {
    const value = start();
    // A thenable need not give anything back by `then`; a promise stays as it is.
    if (isPromiseLike(value)) Promise.resolve(value).then(proceed).then(undefined, fail);
    else proceed(value);
  } catch (error) {
    fail(error);
  }
}

/** Ends the run with questions that the handler returned itself. */
export function askByReturning(invocation: Invocation, needed: NeedsInput, fail: (error: unknown) => void): void {
  try {
    endWithQuestions(invocation, needed);
  } catch (error) {
    fail(error);
  }
}
