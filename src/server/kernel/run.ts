/** One run of a call through the kernel: what a method has at hand, and the one end that the run comes to. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Incoming, Question } from '../../protocol/neutral.ts';
import { CallContext, type CallPorts, type EarlyEnd, type Resumption } from '../features/context.ts';
import { type Ending, type Invocation, isUnaskable } from '../features/invocation.ts';
import type { Terms } from '../ports/call-limits.ts';
import type { Settled } from '../ports/call-outcome.ts';
import type { Caller } from '../ports/caller.ts';
import type { Journal } from '../ports/journal.ts';
import { failedCall } from '../ports/target.ts';
import { suspension } from '../server-requests/input-required.ts';

type Settle = (settled: Settled | RpcError) => void;

/** A class, and its ends methods: a call that made closures for them would take a third longer. */
export class Run implements Invocation, EarlyEnd {
  readonly call: Incoming;
  readonly context: CallContext;
  readonly target: string;
  readonly ports: CallPorts;
  readonly terms: Terms;
  readonly cache: CacheHint | undefined;
  /** `early`: it came to an end before its handler did, and the chain around it goes on. */
  #phase: 'running' | 'early' | 'over' = 'running';
  #ending: Ending | undefined;
  #chain: Settle | undefined;
  /** Hears what the run comes to, whether or not anybody waits for it. */
  #hear: Settle | undefined;

  constructor(
    terms: Terms,
    call: Incoming,
    target: string,
    cache: CacheHint | undefined,
    caller: Caller,
    ports: CallPorts,
    resumption: Resumption | undefined,
  ) {
    this.terms = terms;
    this.call = call;
    this.target = target;
    this.cache = cache;
    this.ports = ports;
    this.context = new CallContext(caller, call, ports, resumption, this);
  }

  /** From here on what the method ends with goes to the chain around it, which has the last word. */
  within(chain: Settle): void {
    this.#chain = chain;
  }

  get isChained(): boolean {
    return this.#chain !== undefined;
  }

  outlast(hear: Settle): void {
    this.#hear = hear;
    this.context.outlasts = true;
  }

  finish(settled: Settled | RpcError): void {
    this.#hear?.(settled);
    if (this.#chain === undefined) this.conclude(settled);
    else this.#chain(settled);
  }

  fail(error: unknown): void {
    this.finish(this.#failure(error, !this.context.over));
  }

  atEnd(ending: Ending): void {
    this.#ending = ending;
  }

  /** Ends the call, once. */
  conclude(settled: Settled | RpcError): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#ending?.end();
    this.context.finish();
    this.ports.settled(settled);
  }

  suspended(questions: Readonly<Record<string, Question>>, journal: Journal): void {
    const call = { method: this.call.method, target: this.target };
    this.#endEarly(suspension(this.terms, call, questions, journal), 'the run ended to ask');
  }

  failed(error: RpcError): void {
    this.#endEarly(error, 'the call has failed');
  }

  /** The call is over, whatever the chain makes of it: the limit stands around the chain. */
  expired(error: RpcError): void {
    this.#hear?.(error);
    this.#chain?.(error);
    this.conclude(error);
    this.context.cancel('its time is over');
  }

  /** Ends the call with what the chain threw: it fails by itself also where the run within it has ended early. */
  broken(error: unknown): void {
    this.conclude(this.#failure(error, this.#phase === 'early' || !this.context.over));
  }

  /** What ends a run early passes through the chain like any other end of it. */
  #endEarly(settled: Settled | RpcError, reason: string): void {
    if (this.#phase === 'running') this.#phase = 'early';
    this.finish(settled);
    this.context.cancel(reason);
  }

  /** An RpcError of this side is meant for the peer; of anything else the peer learns that it happened, not what. */
  #failure(error: unknown, concernsAnyone: boolean): RpcError {
    if (RpcError.isOwn(error)) return error;
    if (isUnaskable(error)) return rpcError('missing-client-capability', error.message, error.details);
    if (concernsAnyone) this.terms.failed(error, failedCall(this.call.method, this.target, this.ports.requestId));
    return RpcError.from(error);
  }
}
