/** Which access tokens were revoked: each node remembers it as long as tokens of before are valid. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { MessageBus } from '../../store/message-bus.ts';
import { type Account, approvedUntil, isValid, revoked } from './account.ts';
import type { AccountStore } from './accounts.ts';

/**
 * Which access tokens were revoked. They are verified without the store, so each node remembers revocations as long as
 * tokens of before them are valid. It learns of them from the bus; what it may have missed it reads from the account.
 */

/** What an access token says. */
export interface IssuedToken {
  readonly subject: string;
  readonly client: string;
  /** Its `iat`, in seconds since the Unix epoch. */
  readonly issuedAt: number;
  /**
   * When its grant was made, in seconds. It decides: an exchange that began before a revocation may issue a token after it.
   */
  readonly grantedAt: number;
}

export interface Revocations {
  /**
   * Revokes the access of a user, through one client or all. Resolves when what is granted from then on is valid again:
   * grants have whole seconds. False if there is no such account, or it has no such client.
   */
  revoke(subject: string, client?: string): Promise<boolean>;
  /** Whether a token was revoked. A promise only where this node cannot know yet. */
  isRevoked(token: IssuedToken): MaybePromise<boolean>;
  close(): void;
}

export interface RevocationSettings {
  readonly accounts: AccountStore;
  readonly bus: MessageBus;
  readonly issuer: string;
  readonly accessTokenMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly deadlines: Deadlines;
}

/**
 * Revocations and checked accounts that a node remembers, each.
 * @limit auth-server
 * @beyond the oldest are read from the store when they matter
 */
export const maxRemembered = 20_000;

/** Clocks of nodes differ by less than this. */
const skewMs = 60_000;

export async function createRevocations(settings: RevocationSettings): Promise<Revocations> {
  const { accounts, bus, issuer, accessTokenMs, now, deadlines } = settings;
  const topic = `auth-server/revocations/${issuer}`;
  const known = new RecentTimes(maxRemembered);
  const checked = new RecentTimes(maxRemembered);
  /** Tokens of before this moment may have been revoked without this node: it has just started, or lost messages. */
  let missedAt = now();
  const missed = (): void => {
    missedAt = now();
  };
  const learn = (subject: string, client: string | undefined, notBefore: number): void => {
    const dropped = known.set(keyOf(subject, client), notBefore);
    if (dropped !== undefined && now() - dropped <= accessTokenMs + skewMs) missed();
  };
  const isSure = (key: string, issuedAt: number): boolean =>
    issuedAt * 1000 > missedAt + skewMs || checked.get(key) >= missedAt || now() - missedAt > accessTokenMs + skewMs;

  const unsubscribe = await bus.subscribe(
    topic,
    (message) => {
      const { subject, client, notBefore } = JSON.parse(message) as Revocation;
      learn(subject, client, notBefore);
    },
    missed,
  );

  async function isRevokedThere({ subject, client, grantedAt }: IssuedToken): Promise<boolean> {
    const startedAt = now();
    const account = await accounts.read(subject);
    if (!isValid(account, client, grantedAt)) return true;
    checked.set(keyOf(subject, client), startedAt);
    return false;
  }

  return {
    async revoke(subject, client) {
      let notBefore = 0;
      await accounts.update(subject, (account) => {
        const isFound = account !== undefined && (client === undefined || Object.hasOwn(account.clients, client));
        notBefore = isFound ? revocationOf(account, now(), client) : 0;
        return isFound ? revoked(account, notBefore, client) : account;
      });
      if (notBefore === 0) return false;
      learn(subject, client, notBefore);
      const message: Revocation = { subject, ...(client !== undefined && { client }), notBefore };
      await bus.publish(topic, JSON.stringify(message));
      await new Promise<void>((resolve) => void deadlines.add(Math.max(1, notBefore - now()), resolve));
      return true;
    },
    isRevoked(token) {
      const { subject, client, issuedAt, grantedAt } = token;
      const notBefore = Math.max(known.get(keyOf(subject)), known.get(keyOf(subject, client)));
      if (grantedAt * 1000 < notBefore) return true;
      return isSure(keyOf(subject, client), issuedAt) ? false : isRevokedThere(token);
    },
    close: () => unsubscribe(),
  };
}

interface Revocation {
  readonly subject: string;
  readonly client?: string;
  readonly notBefore: number;
}

/** A node whose clock is ahead writes down an approval just before its grant, with the same clock. */
const grantedAfterMs = 1000;

/**
 * The moment from which grants count again. Those of this second are revoked, whether they were made before or after the
 * write, and so are those of a node whose clock is ahead of this one.
 */
function revocationOf(account: Account, now: number, client: string | undefined): number {
  const latest = Math.max(now, approvedUntil(account, client) + grantedAfterMs);
  return (Math.floor(latest / 1000) + 1) * 1000;
}

const keyOf = (subject: string, client?: string): string => JSON.stringify([subject, client]);

/** Moments by key, as many as there is room for. */
class RecentTimes {
  readonly #max: number;
  readonly #times = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): number {
    return this.#times.get(key) ?? 0;
  }

  /** The later moment counts. Returns the one that was dropped for room, if there was one. */
  set(key: string, moment: number): number | undefined {
    const latest = Math.max(this.get(key), moment);
    this.#times.delete(key);
    this.#times.set(key, latest);
    if (this.#times.size <= this.#max) return undefined;
    const [oldest] = this.#times;
    if (oldest !== undefined) this.#times.delete(oldest[0]);
    return oldest?.[1];
  }
}
