/** Verified tokens: until they expire, for a few minutes at most, the least recently used dropped first. */
import type { Principal } from '../../server/ports/principal.ts';

interface Entry {
  readonly principal: Principal;
  readonly until: number;
}

export class TokenCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxCount: number;
  readonly #maxMs: number;

  constructor(maxCount: number, maxMs: number) {
    this.#maxCount = maxCount;
    this.#maxMs = maxMs;
  }

  get(token: string): Principal | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined) return undefined;
    this.#entries.delete(token);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(token, entry);
    return entry.principal;
  }

  add(token: string, principal: Principal): void {
    const now = Date.now();
    const until = Math.min(now + this.#maxMs, principal.expiresAt ?? Number.POSITIVE_INFINITY);
    if (until <= now) return;
    this.#entries.delete(token);
    this.#entries.set(token, { principal, until });
    if (this.#entries.size <= this.#maxCount) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
