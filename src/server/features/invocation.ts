/** One run of a call: its inputs, and its one outcome. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { CallOutcome } from '../../ports/call-outcome.ts';
import type { GuardedCall } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Done, Incoming, InputRequest } from '../../protocol/neutral.ts';
import type { InputRequired } from '../definition/returns.ts';
import type { CallLimits, CompiledTask } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal } from '../ports/journal.ts';
import { failedCall } from '../ports/target.ts';
import { suspension } from '../server-requests/input-required.ts';
import { endWithRequests } from '../server-requests/returned-requests.ts';
import type { CallPorts, Resumption } from './call-ports.ts';
import { CallContext, type ContextRun } from './context.ts';

/** An object, not a function: a closure per call costs throughput. */
export interface Ending {
  end(): void;
}

type Settle = (settled: CallOutcome | RpcError) => void;

/** A class with methods: with closures instead, a call takes a third longer. */
export class Invocation implements ContextRun {
  readonly call: Incoming;
  readonly caller: CallerInfo;
  readonly context: CallContext;
  readonly target: string;
  readonly ports: CallPorts;
  readonly resumption: Resumption | undefined;
  /** Set by a server with a guard. */
  guarded: GuardedCall | undefined = undefined;
  /** Set for a call whose handler may turn it into a task. */
  laterTask: CompiledTask | undefined = undefined;
  readonly limits: CallLimits;
  /** The cache hint of results, unless the definition sets one. */
  readonly cache: CacheHint | undefined;
  /** `early`: the run ended before its handler, and the middleware around it continues. `left`: its task is being created. */
  #phase: 'running' | 'early' | 'left' | 'ended' = 'running';
  #ending: Ending | undefined;
  #chain: Settle | undefined;
  /** Gets every outcome of the run, whether or not a client waits for it. */
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

  /** Passes the outcome of the method to the middleware chain, which decides the final outcome. */
  setChain(chain: Settle): void {
    this.#chain = chain;
  }

  /** Whether the call runs inside a middleware chain. */
  get isChained(): boolean {
    return this.#chain !== undefined;
  }

  /** Keeps the run going after the client disconnects; `onResult` receives its results, maybe more than one. */
  runOn(onResult: Settle): void {
    this.#onResult = onResult;
    this.context.runsOn = true;
  }

  finish(settled: CallOutcome | RpcError): void {
    // The handler has turned the call into a task: its later outcome is ignored.
    if (this.#phase === 'left') return;
    this.#onResult?.(settled);
    if (this.#chain === undefined) this.conclude(settled);
    else this.#chain(settled);
  }

  /** Ends the run with an error that a handler threw. Has no effect on a run that has ended. */
  fail(error: unknown): void {
    this.finish(this.#failure(error, !this.context.finished));
  }

  /** Ends the run with a refusal of the guard. */
  refuse(refused: RpcError): void {
    this.finish(this.#reported(refused));
  }

  /** The cause of a refusal, such as a store that fails, is for `onError` of the server. */
  #reported(refused: RpcError): RpcError {
    const { cause } = refused;
    if (cause !== undefined) this.#report(cause);
    return refused;
  }

  #report(error: unknown): void {
    this.limits.failed(error, failedCall(this.call.method, this.target, this.ports.requestId));
  }

  /** Calls `ending.end()` when the call ends, for any reason. */
  atEnd(ending: Ending): void {
    this.#ending = ending;
  }

  /** Ends the call, once. */
  conclude(settled: CallOutcome | RpcError): void {
    if (this.#phase === 'ended') return;
    const forgotten = this.#phase === 'running' ? this.context.unread() : undefined;
    if (forgotten !== undefined) this.#report(forgotten);
    this.#phase = 'ended';
    this.#ending?.end();
    this.context.finish();
    if (this.guarded === undefined) this.ports.settled(settled);
    else this.#settle(this.guarded, settled);
  }

  /** The guard records the end of the call before the answer leaves. */
  #settle(guarded: GuardedCall, settled: CallOutcome | RpcError): void {
    whenSettled(
      () => guarded.settle(settled),
      (instead) => this.ports.settled(instead === undefined ? settled : this.#reported(instead)),
      (error) => this.ports.settled(this.#failure(error, true)),
    );
  }

  suspended(requests: Readonly<Record<string, InputRequest>>, journal: Journal): void {
    const call = { method: this.call.method, target: this.target };
    this.#endEarly(suspension(this.limits, call, requests, journal), 'the run ended to request input');
  }

  continueAsTask(journal: Journal): void {
    const { laterTask, call, caller, ports, context, guarded } = this;
    if (laterTask === undefined || this.#phase !== 'running') return;
    this.#phase = 'left';
    const finish = (settled: CallOutcome | RpcError): void => {
      if (this.#phase !== 'left') return;
      this.#phase = 'running';
      this.#endEarly(settled, 'the call continues as a task');
    };
    const fail = (error: unknown): void => finish(this.#failure(error, true));
    this.limits.tasks.begin({ call, caller, ports, context, guarded, finish, fail }, laterTask, journal);
  }

  failed(error: RpcError, isReported = false): void {
    this.#endEarly(isReported ? this.#reported(error) : error, 'the call has failed');
  }

  /** Ends the call at its time limit, which includes the middleware. */
  expired(error: RpcError): void {
    this.#onResult?.(error);
    this.#chain?.(error);
    this.conclude(error);
    this.context.cancel('the call timed out');
  }

  /** Ends the call with an error that middleware threw, even if the run inside it has ended early. */
  broken(error: unknown): void {
    this.conclude(this.#failure(error, this.#phase === 'early' || !this.context.finished));
  }

  /** An early outcome passes through the middleware like any other. */
  #endEarly(settled: CallOutcome | RpcError, reason: string): void {
    if (this.#phase === 'running') this.#phase = 'early';
    this.finish(settled);
    this.context.cancel(reason);
  }

  /** An RpcError of this side is sent to the client. Any other error is sent as an internal error, without its text. */
  #failure(error: unknown, isReported: boolean): RpcError {
    if (RpcError.isOwn(error)) return error;
    if (isUnsupportedRequest(error))
      return rpcError('missing-client-capability', messageWithoutHint(error), error.details);
    if (isReported) this.#report(error);
    return RpcError.from(error);
  }
}

/** Whether a handler sent a request that this client does not support; an error of another client does not count. */
export const isUnsupportedRequest = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'capability-not-supported' && 'requiredCapabilities' in error.details;

export const done = (result: Fields): Done => ({ resultType: 'complete', result });

/** `cause` is the error that the handler threw, without the URI. */
export const resourceMissing = (uri: string, cause?: RpcError): RpcError =>
  rpcError('resource-not-found', cause?.message ?? 'Resource not found', { uri }, cause);

/** Calls `proceed` with a value, now or when its promise has resolved. Errors, of `proceed` too, go to `fail`. */
export function whenSettled<T>(
  start: () => T | PromiseLike<T>,
  proceed: (value: T) => void,
  fail: (error: unknown) => void,
): void {
  try {
    const value = start();
    // `then` of a thenable need not return a promise; `Promise.resolve` leaves a promise as it is.
    if (isPromiseLike(value)) Promise.resolve(value).then(proceed).then(undefined, fail);
    else proceed(value);
  } catch (error) {
    fail(error);
  }
}

/** Ends the run with the server requests that the handler returned. */
export function requireInput(invocation: Invocation, needed: InputRequired, fail: (error: unknown) => void): void {
  try {
    endWithRequests(invocation, needed);
  } catch (error) {
    fail(error);
  }
}
