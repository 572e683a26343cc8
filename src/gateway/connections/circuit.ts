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

export class Circuit {
  readonly #upstream: string;
  readonly #now: () => number;
  /** When openings failed, the last `windowMs`. */
  #failures: number[] = [];
  #count = 0;
  #pauseMs = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(upstream: string, now: () => number) {
    this.#upstream = upstream;
    this.#now = now;
  }

  get state(): CircuitState {
    if (this.#pauseMs === 0) return 'closed';
    return this.#isProbing || this.#now() >= this.#openUntil ? 'half-open' : 'open';
  }

  /** The error for a call that needs a new connection; nothing if one may be opened. */
  refusal(): RpcError | undefined {
    if (this.#pauseMs === 0) return undefined;
    const leftMs = this.#openUntil - this.#now();
    if (leftMs <= 0 && !this.#isProbing) {
      this.#isProbing = true;
      return undefined;
    }
    const retryAfterMs = Math.max(1, Math.ceil(leftMs));
    const text = `The upstream "${this.#upstream}" failed ${this.#count} times. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    return rpcError('overloaded', text, { ...notStartedData, retryAfterMs });
  }

  succeeded(): void {
    this.#failures = [];
    this.#count = 0;
    this.#pauseMs = 0;
    this.#isProbing = false;
  }

  failed(error: unknown): void {
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    if (isOfOwner(error)) {
      // Whether the upstream works is not known: the next one tries.
      if (wasProbing) this.#openUntil = this.#now();
      return;
    }
    const now = this.#now();
    this.#count++;
    this.#failures = [...this.#failures.filter((at) => at > now - windowMs), now];
    if (!wasProbing && this.#failures.length < maxFailures) return;
    this.#pauseMs = this.#pauseMs === 0 ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#openUntil = now + this.#pauseMs;
  }
}
