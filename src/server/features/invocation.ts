/** One run of a call: its inputs, and its one ending. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { CallOutcome, Settled } from '../../ports/call-outcome.ts';
import type { GuardedCall } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Done, Incoming, InputRequest } from '../../protocol/neutral.ts';
import type { CallLimits, CompiledTask } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Journal } from '../ports/journal.ts';
import { failedCall } from '../ports/target.ts';
import { ProtocolForm } from '../server-requests/protocol-form.ts';
import { outcomeOfRequests } from '../server-requests/returned-requests.ts';
import type { CallPorts, Resumption } from './call-ports.ts';
import { CallContext, type ContextRun } from './context.ts';

/** An object, not a function: a closure per call costs throughput. */
export interface Ending {
  end(): void;
}

type Settle = (settled: Settled) => void;

/** The middleware of a call that runs. Two members, not one promise: that costs a call with middleware 3 %. */
export interface ChainRun {
  readonly returned: Promise<unknown>;
  /** The outcome that was returned; throws if it is none. */
  check(returned: unknown): CallOutcome;
}

/** A class with methods: with closures instead, a call takes a third longer. */
export class Invocation implements ContextRun {
  readonly call: Incoming;
  readonly caller: CallerInfo;
  readonly context: CallContext;
  readonly target: string;
  ports: CallPorts;
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
    ports: CallPorts,
    resumption: Resumption | undefined,
  ) {
    this.limits = limits;
    this.call = call;
    this.target = target;
    this.cache = cache;
    this.caller = ports.caller;
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

  /** Ends the run with its outcome, which passes through the middleware. Has no effect on a call that has ended. */
  end(settled: Settled): void {
    // The handler has turned the call into a task: its later outcome is ignored.
    if (this.#phase === 'left') return;
    this.#onResult?.(settled);
    if (this.#chain === undefined) this.#conclude(settled);
    else this.#chain(settled);
  }

  /** Ends the run before its handler returns, which is aborted. With `isOver` the call ends too, whatever the middleware does. */
  endEarly(settled: Settled, reason: string, isOver = false): void {
    if (this.#phase === 'running' || (isOver && this.#phase === 'left')) this.#phase = 'early';
    this.end(settled);
    if (isOver) this.#conclude(settled);
    this.context.cancel(reason);
  }

  /** Ends the run with requests of another server, as it sent them. The next run gets the answers as they are, and `own`. */
  requireInput(requests: Readonly<Record<string, InputRequest>>, own: unknown): Settled {
    const forms = Object.entries(requests).map(([key, request]) => [key, new ProtocolForm(request)] as const);
    return outcomeOfRequests(this, { requests: Object.fromEntries(forms), state: own, byError: false });
  }

  /** Creates a task for the call, and ends the run with it. */
  async continueAsTask(journal: Journal): Promise<void> {
    const { laterTask } = this;
    if (laterTask === undefined || this.#phase !== 'running') return;
    this.#phase = 'left';
    const begun = this.limits.tasks.begin(this, laterTask, journal);
    const settled = await begun.catch((error: unknown) => this.failure(error, true));
    // It may have timed out meanwhile.
    if (this.#phase !== 'left') return;
    this.#phase = 'running';
    this.endEarly(settled, 'the call continues as a task');
  }

  /** Ends the call with what its middleware returns, even if the run inside it ended early. */
  async pass({ returned, check }: ChainRun): Promise<void> {
    try {
      this.#conclude(check(await returned));
    } catch (error) {
      this.#conclude(this.failure(error, this.#phase === 'early' || !this.context.finished));
    }
  }

  /** Whether its client has cancelled it, or has disconnected, before it ended. */
  get isCancelled(): boolean {
    return this.#phase === 'running' && this.context.finished;
  }

  /** From now on this is a run of a task, which has a deadline instead of a time limit. */
  becomeRun(ports: CallPorts): void {
    this.#ending?.end();
    this.#ending = undefined;
    this.ports = ports;
    this.context.becomeRun();
  }

  /** Calls `ending.end()` when the call ends, for any reason. */
  atEnd(ending: Ending): void {
    this.#ending = ending;
  }

  /** Ends the call, once. */
  #conclude(settled: Settled): void {
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
  #settle(guarded: GuardedCall, settled: Settled): void {
    const { ports } = this;
    const failed = (error: unknown): void => ports.settled(this.failure(error, true));
    let refused: MaybePromise<RpcError | undefined>;
    try {
      refused = guarded.settle(settled);
    } catch (error) {
      return failed(error);
    }
    if (isPromiseLike(refused)) refused.then((found) => ports.settled(this.reported(found) ?? settled), failed);
    else ports.settled(this.reported(refused) ?? settled);
  }

  /** The cause of a refusal, such as a store that fails, is for `onError` of the server. */
  reported<T extends RpcError | undefined>(refused: T): T {
    if (refused?.cause !== undefined) this.#report(refused.cause);
    return refused;
  }

  /** An RpcError of this side is sent to the client. Any other error is sent as an internal error, without its text. */
  failure(error: unknown, isReported = !this.context.finished): RpcError {
    if (RpcError.isOwn(error)) return error;
    if (isUnsupportedRequest(error))
      return rpcError('missing-client-capability', messageWithoutHint(error), error.details);
    if (isReported) this.#report(error);
    if (this.call.method === 'resources/read' && isSystemError(error))
      return rpcError('resource-not-readable', 'Resource not readable', { uri: this.target }, error);
    return RpcError.from(error);
  }

  #report(error: unknown): void {
    this.limits.failed(error, failedCall(this.call.method, this.target, this.ports.requestId));
  }
}

/** An error of the operating system, such as a file that may not be read. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';

/** Whether a handler sent a request that this client does not support; an error of another client does not count. */
export const isUnsupportedRequest = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'capability-not-supported' && 'requiredCapabilities' in error.details;

export const done = (result: Fields): Done => ({ resultType: 'complete', result });

/** `cause` is the error that the handler threw, without the URI. */
export const resourceMissing = (uri: string, cause?: RpcError): RpcError =>
  rpcError('resource-not-found', cause?.message ?? 'Resource not found', { uri }, cause);
