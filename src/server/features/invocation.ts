/** One run of a call: what the method that serves it needs, and the one outcome that the run comes to. */

import { RpcError, TenonError, unhinted } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../jsonrpc/promise-like.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Done, Fields, Incoming, Question } from '../../protocol/neutral.ts';
import type { InputRequired } from '../definition/returns.ts';
import type { CallLimits } from '../ports/call-limits.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal } from '../ports/journal.ts';
import { failedCall } from '../ports/target.ts';
import { suspension } from '../server-requests/input-required.ts';
import { endWithRequests } from '../server-requests/returned-requests.ts';
import { CallContext, type CallPorts, type ContextRun, type Resumption } from './context.ts';

/** An object, not a function: on this path every closure is felt. */
export interface Ending {
  end(): void;
}

type Settle = (settled: CallOutcome | RpcError) => void;

/** A class with methods: a call that made closures for them would take a third longer. */
export class Invocation implements ContextRun {
  readonly call: Incoming;
  readonly caller: CallerInfo;
  readonly context: CallContext;
  readonly target: string;
  readonly ports: CallPorts;
  readonly resumption: Resumption | undefined;
  readonly limits: CallLimits;
  /** How long results stay fresh, unless a definition sets it. */
  readonly cache: CacheHint | undefined;
  /** `early`: it ended before its handler did, and the chain around it continues. */
  #phase: 'running' | 'early' | 'over' = 'running';
  #ending: Ending | undefined;
  #chain: Settle | undefined;
  /** Receives every result of the run, whether or not a client waits for it. */
  #onResult: Settle | undefined;

  constructor(
    limits: CallLimits,
    call: Incoming,
    target: string,
    cache: CacheHint | undefined,
    caller: CallerInfo,
    ports: CallPorts,
    resumption: Resumption | undefined,
  ) {
    this.limits = limits;
    this.call = call;
    this.target = target;
    this.cache = cache;
    this.caller = caller;
    this.ports = ports;
    this.resumption = resumption;
    this.context = new CallContext(this);
  }

  /** From here on the result of the method goes to the chain around it, which decides the final one. */
  setChain(chain: Settle): void {
    this.#chain = chain;
  }

  /** Whether middleware stands around the method. */
  get isChained(): boolean {
    return this.#chain !== undefined;
  }

  /** Keeps the run going after the client disconnects; `onResult` receives its results, maybe more than one. */
  runOn(onResult: Settle): void {
    this.#onResult = onResult;
    this.context.runsOn = true;
  }

  finish(settled: CallOutcome | RpcError): void {
    this.#onResult?.(settled);
    if (this.#chain === undefined) this.conclude(settled);
    else this.#chain(settled);
  }

  /** Ends the run with what a handler threw. A run that has ended already stays as it is. */
  fail(error: unknown): void {
    this.finish(this.#failure(error, !this.context.finished));
  }

  /** Has `ending` end with the call, however that ends. */
  atEnd(ending: Ending): void {
    this.#ending = ending;
  }

  /** Ends the call, once. */
  conclude(settled: CallOutcome | RpcError): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#ending?.end();
    this.context.finish();
    this.ports.settled(settled);
  }

  suspended(requests: Readonly<Record<string, Question>>, journal: Journal): void {
    const call = { method: this.call.method, target: this.target };
    this.#endEarly(suspension(this.limits, call, requests, journal), 'the run ended to request input');
  }

  failed(error: RpcError): void {
    this.#endEarly(error, 'the call has failed');
  }

  /** Ends the call by its time limit, which stands around the chain. */
  expired(error: RpcError): void {
    this.#onResult?.(error);
    this.#chain?.(error);
    this.conclude(error);
    this.context.cancel('the call timed out');
  }

  /** Ends the call with what the chain threw: it fails by itself also where the run within it has ended early. */
  broken(error: unknown): void {
    this.conclude(this.#failure(error, this.#phase === 'early' || !this.context.finished));
  }

  /** An early result passes through the chain like any other. */
  #endEarly(settled: CallOutcome | RpcError, reason: string): void {
    if (this.#phase === 'running') this.#phase = 'early';
    this.finish(settled);
    this.context.cancel(reason);
  }

  /** An RpcError of this side is meant for the peer; of anything else the peer learns that it happened, not what. */
  #failure(error: unknown, isReported: boolean): RpcError {
    if (RpcError.isOwn(error)) return error;
    if (isUnsupportedRequest(error)) return rpcError('missing-client-capability', unhinted(error), error.details);
    if (isReported) this.limits.failed(error, failedCall(this.call.method, this.target, this.ports.requestId));
    return RpcError.from(error);
  }
}

/** Whether a handler sent a request that this client does not support; an error of another client does not count. */
export const isUnsupportedRequest = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'capability-not-supported' && 'requiredCapabilities' in error.details;

export const done = (result: Fields): Done => ({ resultType: 'complete', result });

/** `cause` is the error that the handler threw without naming the URI. */
export const resourceMissing = (uri: string, cause?: RpcError): RpcError =>
  rpcError('resource-not-found', cause?.message ?? 'Resource not found', { uri }, cause);

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

/** Ends the run with requests that the handler returned itself. */
export function requireInput(invocation: Invocation, needed: InputRequired, fail: (error: unknown) => void): void {
  try {
    endWithRequests(invocation, needed);
  } catch (error) {
    fail(error);
  }
}
