/** Answers of the user that are remembered: until the host closes, or with an end in a store. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import type { ConsentStore, StoredConsent } from '../../store/consent-store.ts';
import type { ConsentDuration, HostPolicyDecision } from './policy.ts';

/** What an answer holds for. */
export interface ConsentSubject {
  /** What the server is: an answer about another server under its name does not count. */
  readonly identity: Readonly<Record<string, string>>;
  /** The name or URI on the server. */
  readonly name: string;
  /** The definition as the user saw it. */
  readonly definition?: object | undefined;
}

export interface ConsentQuestion {
  readonly server: string;
  readonly kind: string;
  readonly subject: ConsentSubject;
  readonly value: unknown;
  readonly permission: HostPolicyDecision | undefined;
}

type Binding = Omit<StoredConsent, 'answeredAt' | 'expiresAt'>;

/**
 * Answers that are remembered until the host closes.
 * @limit host
 * @beyond the oldest is dropped, and asked for again
 */
const maxSessionAnswers = 10_000;

export class RememberedConsents {
  readonly #principal: string;
  readonly #store: ConsentStore;
  readonly #now: () => number;
  readonly #session = new Map<string, StoredConsent>();

  constructor(principal: string | undefined, store: ConsentStore, now: () => number = () => Date.now()) {
    this.#principal = principal ?? '';
    this.#store = store;
    this.#now = now;
  }

  /** Whether the user has answered exactly this question, and the answer still holds. */
  async allows(question: ConsentQuestion): Promise<boolean> {
    const { key, binding } = await this.#bind(question);
    const inSession = this.#session.get(key);
    const found = inSession ?? (await this.#store.read(key));
    if (found === undefined) return false;
    const now = this.#now();
    if (!(found.expiresAt > now)) {
      this.#session.delete(key);
      await this.#store.write(key, undefined);
      return false;
    }
    // A clock that was set back would let an answer hold for longer; a rule may allow less than when it was given.
    const rule = question.permission?.remember;
    const mayBeStored = inSession !== undefined || rule !== 'session';
    const allowedUntil = typeof rule === 'object' ? found.answeredAt + rule.forMs : Number.POSITIVE_INFINITY;
    if (!(found.answeredAt <= now && now < allowedUntil && mayBeStored)) return false;
    // What is stored under a key may have been copied from another: all of it has to fit.
    return (Object.keys(binding) as (keyof Binding)[]).every((name) => found[name] === binding[name]);
  }

  async remember(question: ConsentQuestion, { isStored, forMs }: Lifetime): Promise<void> {
    const { key, binding } = await this.#bind(question);
    const answeredAt = this.#now();
    const consent = { ...binding, answeredAt, expiresAt: answeredAt + forMs };
    if (isStored) return this.#store.write(key, consent);
    this.#session.set(key, consent);
    const [oldest = key] = this.#session.keys();
    if (this.#session.size > maxSessionAnswers) this.#session.delete(oldest);
  }

  async #bind({ server, kind, subject, value, permission }: ConsentQuestion) {
    const rule = permission?.rule ?? '';
    const args = permission?.exactCall === true ? await hashOf(value) : '';
    const definition = await hashOf(subject.definition ?? null);
    const identity = await hashOf(subject.identity);
    const about = { principal: this.#principal, server, identity, type: kind, name: subject.name };
    const bound = { ...about, definition, rule, arguments: args };
    const binding: Binding = { ...bound, shown: await hashOf({ ...bound, definition: subject.definition ?? null }) };
    return { key: await hashOf(binding), binding };
  }
}

/** How long an answer holds. */
export interface Lifetime {
  /** Whether it outlives the host. */
  readonly isStored: boolean;
  readonly forMs: number;
}

/** The shorter of what the rule allows and what the hook returned; `undefined` for one call. */
export function lifetimeOf(
  rule: ConsentDuration | undefined,
  answer: ConsentDuration | undefined,
): Lifetime | undefined {
  const durations = [rule, answer].filter((one) => one !== undefined);
  if (durations.length === 0 || durations.includes('once')) return undefined;
  return {
    isStored: !durations.includes('session'),
    forMs: Math.min(...durations.map((one) => (typeof one === 'object' ? one.forMs : Number.POSITIVE_INFINITY))),
  };
}

/** Whether a hook may return it as `{ allow }`. */
export const isDuration = (value: unknown): value is ConsentDuration => {
  if (value === 'once' || value === 'session') return true;
  const forMs = (value as { readonly forMs?: unknown } | null | undefined)?.forMs;
  return typeof forMs === 'number' && forMs > 0 && Number.isFinite(forMs);
};

const hashOf = (value: unknown): Promise<string> => sha256Hex(canonicalJson(value));
