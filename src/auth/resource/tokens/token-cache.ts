/** Verified tokens: until they expire, for a few minutes at most, the least recently used dropped first. */
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { TokenBinding } from '../dpop/proof-check.ts';

/** A verified token with all its scopes. Its proofs are not here: each is checked once. */
export interface CachedToken {
  readonly principal: Principal;
  /** The key that the token is bound to, if it is. */
  readonly binding: TokenBinding | undefined;
  /** Whether it was revoked since; only for tokens of an authorization server in this process. */
  readonly isRevoked?: (() => MaybePromise<boolean>) | undefined;
}

interface Entry {
  readonly token: CachedToken;
  readonly until: number;
}

export class TokenCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxCount: number;
  readonly #maxMs: number;
  /** The last entry of the map. A client that sends many requests in a row moves no entry. */
  #newest: Entry | undefined;
  #generation = 0;

  constructor(maxCount: number, maxMs: number) {
    this.#maxCount = maxCount;
    this.#maxMs = maxMs;
  }

  get(text: string): CachedToken | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;
    const isExpired = entry.until <= Date.now();
    if (entry === this.#newest && !isExpired) return entry.token;
    this.#entries.delete(text);
    if (isExpired) return undefined;
    this.#put(text, entry);
    return entry.token;
  }

  /** Ends with `clear()`: a token whose verification began before is not added after it. */
  get generation(): number {
    return this.#generation;
  }

  add(text: string, token: CachedToken, generation: number): void {
    if (generation !== this.#generation) return;
    const now = Date.now();
    const until = Math.min(now + this.#maxMs, token.principal.expiresAt ?? Number.POSITIVE_INFINITY);
    if (until <= now) return;
    this.#entries.delete(text);
    this.#put(text, { token, until });
    if (this.#entries.size <= this.#maxCount) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #put(text: string, entry: Entry): void {
    this.#entries.set(text, entry);
    this.#newest = entry;
  }

  clear(): void {
    this.#generation++;
    this.#newest = undefined;
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
