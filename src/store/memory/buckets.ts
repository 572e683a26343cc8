/** Token buckets in memory: one time for each key, when its bucket is full again. A full bucket needs no entry. */

/** Characters of the keys of all buckets. */
export const maxBucketChars = 16 * 1024 * 1024;
/** Fewer entries than this are not swept. */
const leastSwept = 1024;
/** In a table without room, full buckets are looked for no more often. */
const sweepEveryMs = 1000;
/** Buckets that take longer to fill have at most half of the room: they stay for long, and must not take that of the others. */
const longMs = 3_600_000;
/** How many buckets the keys share that find no room: those of equal length. */
const sharedBuckets = 1024;
/** Lengths with buckets of their own. There are as many as limits are configured; all others share the first. */
const maxLengths = 16;

export class Buckets {
  readonly #maxKeys: number;
  readonly #maxChars: number;
  /** When the bucket of each key is full again. */
  readonly #fullAt = new Map<string, number>();
  /** Those that take long to fill. */
  readonly #long = new Set<string>();
  #chars = 0;
  #sweepAt = leastSwept;
  #sweptAt = Number.NEGATIVE_INFINITY;
  /** The same for keys without room, which share, by how long a bucket takes to fill: a long one must not lock out keys of short ones. */
  readonly #shared = new Map<number, Float64Array>();
  /** Chosen at random when it is first needed: no caller can know with whom it would share. */
  #seed: number | undefined;

  constructor(maxKeys: number, maxChars: number) {
    this.#maxKeys = maxKeys;
    this.#maxChars = maxChars;
  }

  /** How long until the tokens can be taken: 0 or less if they can. */
  wait(key: string, costMs: number, fullMs: number, now: number): number {
    return this.#after(key, costMs, fullMs, now) - now - fullMs;
  }

  take(key: string, costMs: number, fullMs: number, now: number): void {
    const until = this.#after(key, costMs, fullMs, now);
    if (this.#fullAt.has(key)) this.#fullAt.set(key, until);
    else if (this.#isSharing(key, fullMs, now) || !this.#hasRoom(key, fullMs, now)) this.#share(key, fullMs, until);
    else {
      this.#fullAt.set(key, until);
      if (fullMs > longMs) this.#long.add(key);
      this.#chars += key.length;
    }
  }

  clear(): void {
    this.#fullAt.clear();
    this.#long.clear();
    this.#chars = 0;
    this.#shared.clear();
  }

  /** When the bucket is full again after the tokens were taken. */
  #after(key: string, costMs: number, fullMs: number, now: number): number {
    const own = this.#fullAt.get(key);
    // Later than an empty bucket takes: the limit was lowered.
    if (own !== undefined && own > now + fullMs) this.#fullAt.set(key, now + fullMs);
    return Math.max(Math.min(own ?? this.#sharedUntil(key, fullMs, now), now + fullMs), now) + costMs;
  }

  /** A key that finds no room of its own, or has found none and still shares. */
  #sharedUntil(key: string, fullMs: number, now: number): number {
    const shared = this.#sharedOf(fullMs);
    return shared === undefined || (!this.#isSharing(key, fullMs, now) && this.#hasRoom(key, fullMs, now))
      ? now
      : (shared[this.#slotOf(key)] ?? now);
  }

  /** Until its shared bucket is full: a bucket of its own would forgive what it took of that one. */
  #isSharing(key: string, fullMs: number, now: number): boolean {
    const shared = this.#sharedOf(fullMs);
    if (shared === undefined) return false;
    const slot = this.#slotOf(key);
    const until = Math.min(shared[slot] ?? now, now + fullMs);
    shared[slot] = until;
    return until > now;
  }

  #share(key: string, fullMs: number, until: number): void {
    let shared = this.#sharedOf(fullMs);
    if (shared === undefined)
      this.#shared.set(fullMs, (shared = new Float64Array(sharedBuckets).fill(Number.NEGATIVE_INFINITY)));
    const slot = this.#slotOf(key);
    shared[slot] = Math.max(until, shared[slot] ?? until);
  }

  #sharedOf(fullMs: number): Float64Array | undefined {
    const own = this.#shared.get(fullMs);
    if (own !== undefined || this.#shared.size < maxLengths) return own;
    const [first] = this.#shared.values();
    return first;
  }

  #slotOf(key: string): number {
    this.#seed ??= Math.floor(Math.random() * 2 ** 32);
    let hash = this.#seed;
    for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    return (hash >>> 8) % sharedBuckets;
  }

  /** Each sweep that finds little doubles the number of entries until the next: adding one stays cheap. */
  #hasRoom(key: string, fullMs: number, now: number): boolean {
    const isFull = (): boolean =>
      this.#fullAt.size >= this.#maxKeys ||
      this.#chars + key.length > this.#maxChars ||
      (fullMs > longMs && this.#long.size >= this.#maxKeys / 2);
    const isDue = this.#fullAt.size >= this.#sweepAt || (isFull() && Math.abs(now - this.#sweptAt) >= sweepEveryMs);
    if (isDue) this.#sweep(now);
    return !isFull();
  }

  #sweep(now: number): void {
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now) continue;
      this.#fullAt.delete(key);
      this.#long.delete(key);
      this.#chars -= key.length;
    }
    this.#sweptAt = now;
    this.#sweepAt = Math.max(leastSwept, this.#fullAt.size * 2);
  }
}
