/** Stops opening connections to an upstream that fails, and tries one again after a pause that grows. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { maxFailures } from '../options.ts';
import { OpenFailure } from './open-connection.ts';

const windowMs = 30_000;
const firstPauseMs = 5000;
const longestPauseMs = 60_000;

/** Failures that say nothing about the upstream: of the credentials of one owner, or of the definition of the upstream. */
const ofOwner: ReadonlySet<string> = new Set([
  'unauthorized',
  'authorization-failed',
  'forbidden',
  'sign-in-required',
  'cancelled',
]);

const isOfOwner = (error: unknown): boolean =>
  error instanceof TenonError ? ofOwner.has(error.code) : error instanceof OpenFailure && isOfOwner(error.cause);

export type CircuitState = 'closed' | 'open' | 'half-open';

/** The failures of one owner, or of all together. */
class Breaker {
  readonly #now: () => number;
  /** When openings failed, the last `windowMs`, and whose they were. */
  #failures: { readonly at: number; readonly owner: string | undefined }[] = [];
  count = 0;
  #pauseMs = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get state(): CircuitState {
    if (this.#pauseMs === 0) return 'closed';
    return this.#isProbing || this.#now() >= this.#openUntil ? 'half-open' : 'open';
  }

  get isForgotten(): boolean {
    return this.#now() - Math.max(this.#openUntil, this.#failures.at(-1)?.at ?? 0) > longestPauseMs;
  }

  /** How long a call has to wait; nothing if it may open a connection. */
  get waitMs(): number | undefined {
    if (this.#pauseMs === 0) return undefined;
    const leftMs = this.#openUntil - this.#now();
    return leftMs <= 0 && !this.#isProbing ? undefined : Math.max(1, Math.ceil(leftMs));
  }

  /** A connection is opened: the only one, if there were failures. */
  tries(): void {
    if (this.#pauseMs !== 0) this.#isProbing = true;
  }

  succeeded(): void {
    this.#failures = [];
    this.count = 0;
    this.#pauseMs = 0;
    this.#isProbing = false;
  }

  /** The attempt says nothing: the next one tries. */
  unknown(): void {
    if (this.#isProbing) this.#openUntil = this.#now();
    this.#isProbing = false;
  }

  /** Further failures of an owner do not count. */
  failed(owner?: string): void {
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    const now = this.#now();
    this.count++;
    const others = this.#failures.filter(
      (one) => one.at > now - windowMs && (owner === undefined || one.owner !== owner),
    );
    this.#failures = [...others, { at: now, owner }].slice(-maxFailures);
    if (!wasProbing && this.#failures.length < maxFailures) return;
    this.#pauseMs = this.#pauseMs === 0 ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#openUntil = now + this.#pauseMs;
  }
}

/** Owners whose failures are remembered. */
const maxOwners = 1000;

/**
 * An owner that fails has a pause of its own: its account may be the reason, and must not keep others away. All have one
 * after failures of several owners. An owner that is `undefined` stands for all.
 */
export class Circuit {
  readonly #upstream: string;
  readonly #now: () => number;
  readonly #all: Breaker;
  readonly #owners = new Map<string, Breaker>();

  constructor(upstream: string, now: () => number) {
    this.#upstream = upstream;
    this.#now = now;
    this.#all = new Breaker(now);
  }

  get state(): CircuitState {
    return this.stateOf(false);
  }

  /** With `isInUse` there are connections, which show that the upstream works. One owner alone shows nothing. */
  stateOf(isInUse: boolean): CircuitState {
    const { state } = this.#all;
    if (state !== 'closed' || isInUse) return state;
    const [first, second] = [...this.#owners.values()].filter((one) => one.state !== 'closed');
    return first === undefined || second === undefined ? 'closed' : second.state;
  }

  /** The error for a call that needs a new connection; nothing if one may be opened. */
  refusal(owner?: string): RpcError | undefined {
    const breakers = [this.#all, ...this.#ofOwner(owner)];
    for (const { waitMs, count } of breakers) {
      if (waitMs === undefined) continue;
      const text = `The upstream "${this.#upstream}" failed ${count} times. Try again in ${Math.ceil(waitMs / 1000)} s.`;
      return rpcError('overloaded', text, { ...notStartedData, retryAfterMs: waitMs });
    }
    for (const breaker of breakers) breaker.tries();
    return undefined;
  }

  succeeded(owner?: string): void {
    this.#all.succeeded();
    if (owner !== undefined) this.#owners.delete(owner);
  }

  failed(error: unknown, owner?: string): void {
    if (isOfOwner(error)) {
      for (const breaker of [this.#all, ...this.#ofOwner(owner)]) breaker.unknown();
      return;
    }
    this.#all.failed(owner);
    if (owner === undefined) return;
    const own = this.#owners.get(owner) ?? new Breaker(this.#now);
    own.failed();
    this.#owners.delete(owner);
    this.#owners.set(owner, own);
    for (const [name, { isForgotten }] of this.#owners)
      if (isForgotten || this.#owners.size > maxOwners) this.#owners.delete(name);
      else break;
  }

  #ofOwner(owner: string | undefined): Breaker[] {
    const own = owner === undefined ? undefined : this.#owners.get(owner);
    return own === undefined ? [] : [own];
  }
}
