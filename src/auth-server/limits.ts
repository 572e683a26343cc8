/** How many requests an address may send: registrations, sign-ins, and requests of clients that fail. */
import { shareOf } from '../ports/share.ts';
import type { LimitStore } from '../store/limit-store.ts';

/**
 * Registrations of one address a minute.
 * @limit auth-server
 * @beyond 429
 */
const maxRegistrations = 20;

/**
 * Sign-ins that one address begins a minute, and answers to the page of consent.
 * @limit auth-server
 * @beyond 429
 */
const maxSignIns = 60;

/**
 * Requests for tokens and revocations of one address that fail a minute.
 * @limit auth-server
 * @beyond 429 for all of them
 */
const maxFailedExchanges = 30;

const perMinute = {
  registration: maxRegistrations,
  'sign-in': maxSignIns,
  answer: maxSignIns,
  'failed-exchange': maxFailedExchanges,
};

/** What is counted. */
export type LimitedRequest = keyof typeof perMinute;

/** Addresses that are refused at a time, on one node. */
const maxBlocked = 10_000;

export class AddressLimits {
  readonly #limits: LimitStore;
  readonly #issuer: string;
  /** Until when requests for tokens and revocations of an address are refused. */
  readonly #blocked = new Map<string, number>();

  constructor(limits: LimitStore, issuer: string) {
    this.#limits = limits;
    this.#issuer = issuer;
  }

  /** Counts a request; returns in how many milliseconds the next one is allowed, if this one is not. */
  async count(kind: LimitedRequest, address: string): Promise<number | undefined> {
    const tokens = perMinute[kind];
    const key = JSON.stringify(['auth-server', this.#issuer, kind, shareOf({ address })]);
    const answer = await this.#limits.take([{ key, cost: 1, bucket: { tokens, perMs: 60_000, burst: tokens } }]);
    return answer.allowed ? undefined : answer.retryAfterMs;
  }

  /** Counts a request for a token or a revocation that has failed. */
  async countFailed(address: string): Promise<void> {
    const retryAfterMs = await this.count('failed-exchange', address);
    if (retryAfterMs === undefined) return;
    const share = shareOf({ address }) ?? '';
    this.#blocked.delete(share);
    this.#blocked.set(share, Date.now() + retryAfterMs);
    const [oldest] = this.#blocked.keys();
    if (this.#blocked.size > maxBlocked && oldest !== undefined) this.#blocked.delete(oldest);
  }

  /** In how many milliseconds an address may send them again; `undefined`: now. */
  blockedFor(address: string): number | undefined {
    const waitMs = (this.#blocked.get(shareOf({ address }) ?? '') ?? 0) - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }
}
