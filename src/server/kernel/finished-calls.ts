/** Finished calls by name, for repeats: each until it expires, their results up to a number of characters. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Done } from '../../protocol/neutral.ts';

export interface FinishedCallLimits {
  /** How long a call is stored after it has finished. */
  readonly ttlMs: number;
  /** Characters of all results. Beyond it the oldest are dropped; their calls stay known. */
  readonly maxChars: number;
}

/** A result is stored as text, so that no receiver can change it for another. */
type Outcome =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly error: RpcError }
  | typeof dropped;

/** It was too large, or had to make room for others. */
const dropped = { kind: 'dropped' } as const;

interface Entry {
  readonly digest: string;
  readonly until: number;
  outcome: Outcome;
}

/** What is known of a finished call. */
export interface FinishedCall {
  /** Distinguishes calls of the same name. */
  readonly digest: string;
  /** A copy of its outcome; `undefined` if that was dropped. */
  outcome(): Done | RpcError | undefined;
}

export class FinishedCalls {
  readonly #limits: FinishedCallLimits;
  readonly #now: () => number;
  /** In the order in which they finished, which is that in which they expire. */
  readonly #calls = new Map<string, Entry>();
  #chars = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: FinishedCallLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#calls.size;
  }

  find(name: string): FinishedCall | undefined {
    const entry = this.#calls.get(name);
    if (entry === undefined || entry.until <= this.#now()) return undefined;
    return { digest: entry.digest, outcome: () => read(entry.outcome) };
  }

  add(name: string, digest: string, settled: Done | RpcError): void {
    const { ttlMs, maxChars } = this.#limits;
    const outcome = stored(settled, maxChars);
    this.#calls.set(name, { digest, until: this.#now() + ttlMs, outcome });
    this.#chars += charsOf(outcome);
    for (const entry of this.#calls.values()) {
      if (this.#chars <= maxChars) break;
      this.#drop(entry);
    }
  }

  deleteExpired(): void {
    const now = this.#now();
    for (const [name, { until }] of this.#calls) {
      if (until > now) return;
      this.#delete(name);
    }
  }

  /** Returns whether there was one. */
  deleteOldest(): boolean {
    const [oldest] = this.#calls.keys();
    return oldest !== undefined && this.#delete(oldest);
  }

  #delete(name: string): boolean {
    const entry = this.#calls.get(name);
    if (entry !== undefined) this.#drop(entry);
    return this.#calls.delete(name);
  }

  #drop(entry: Entry): void {
    this.#chars -= charsOf(entry.outcome);
    entry.outcome = dropped;
  }
}

function stored(settled: Done | RpcError, maxChars: number): Outcome {
  if (settled instanceof RpcError) return { kind: 'error', error: settled };
  try {
    const text = JSON.stringify(settled);
    return text.length > maxChars ? dropped : { kind: 'result', text };
  } catch {
    return dropped;
  }
}

const charsOf = (outcome: Outcome): number => (outcome.kind === 'result' ? outcome.text.length : 0);

function read(outcome: Outcome): Done | RpcError | undefined {
  if (outcome.kind === 'dropped') return undefined;
  return outcome.kind === 'error' ? outcome.error : (JSON.parse(outcome.text) as Done);
}
