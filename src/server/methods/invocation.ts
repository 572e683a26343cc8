/** One call on its way through a method of the kernel. */
import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Done, Fields, Incoming } from '../../protocol/neutral.ts';
import { unaskable, unrememberable } from '../asking/failures.ts';
import { jsonCopy } from '../asking/json-copy.ts';
import { suspension } from '../asking/suspension.ts';
import { bare, wordQuestion } from '../asking/wording.ts';
import type { CallContext, CallPorts } from '../context.ts';
import type { NeedsInput } from '../definition/returns.ts';
import type { Settled } from '../middleware.ts';
import type { Registry } from '../registry.ts';
import type { Serving } from '../serving.ts';

export interface Invocation {
  readonly registry: Registry;
  readonly call: Incoming;
  readonly context: CallContext;
  readonly target: string;
  readonly ports: CallPorts;
  readonly serving: Serving;
  finish(settled: Settled | RpcError): void;
  /** Ends the call with what a handler threw. */
  fail(error: unknown): void;
  /** Runs when the call ends, in whichever way. */
  atEnd(run: () => void): void;
}

/** Whether a handler asked what this caller cannot be asked; another client's refusal that it ran into is no such thing. */
export const isUnaskable = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'capability-not-supported' && 'requiredCapabilities' in error.details;

/** Whether an error only says that this very run is over: whoever ended it has answered already. */
export const isOver = (error: unknown, { context }: Invocation): boolean =>
  error instanceof TenonError && error.code === 'suspended' && context.over;

/** Ends the call once its time is over, unless it ends before. */
export function limitTime(invocation: Invocation, timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  const { serving, context, call, target } = invocation;
  const deadline = serving.deadlines.add(timeoutMs, () => {
    invocation.finish(rpcError('timeout', `${call.method} ${target} took longer than ${timeoutMs} ms`));
    context.cancel('its time is over');
  });
  invocation.atEnd(() => serving.deadlines.cancel(deadline));
}

export const done = (result: Fields): Done => ({ kind: 'done', result });

/** Goes on with a value now, or when its promise has settled; a throw of any kind, in `proceed` too, goes to `fail`. */
export function whenSettled<T>(
  start: () => T | PromiseLike<T>,
  proceed: (value: T) => void,
  fail: (error: unknown) => void,
): void {
  try {
    const value = start();
    if (isPromise(value)) value.then(proceed).then(undefined, fail);
    else proceed(value);
  } catch (error) {
    fail(error);
  }
}

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Ends the run with questions that the handler returned itself. */
export function askByReturning(invocation: Invocation, { questions, state }: NeedsInput): void {
  const { context, finish, serving, call, target } = invocation;
  const { journal } = context;
  const worded = Object.entries(questions).map(([key, question]) => {
    const one = wordQuestion(key, question, journal.callId);
    if (!context.can(one.needs)) throw unaskable(one);
    return [key, bare(one)] as const;
  });
  const own = state === undefined ? { ok: true as const, value: state } : jsonCopy(state, 'The state of needsInput');
  if (!own.ok) throw unrememberable(own.place);
  const returned = Object.fromEntries(worded);
  const next = { ...journal, returned, own: own.value };
  finish(suspension(serving, { method: call.method, target }, returned, next));
}
