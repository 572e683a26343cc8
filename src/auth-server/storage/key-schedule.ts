/** When signing keys are made, used and forgotten: pure functions on a list and a moment. */
import type { JWK } from 'jose';

/** A key of the server. All nodes have the same list, oldest first. */
export interface StoredKey {
  /** The private key, with `kid`. */
  readonly jwk: JWK;
  /** From when it signs; it is published before. Milliseconds since the Unix epoch. */
  readonly activeAt: number;
}

/** How long keys last. */
export interface KeySchedule {
  /** How long a key signs. */
  readonly signingKeyMs: number;
  /** How long it is published before. */
  readonly publishedKeyMs: number;
  /** How long the tokens live that it signs. */
  readonly tokenMs: number;
}

/** How long a key is published after the last token of it has expired: clocks differ, and nodes swap keys at different moments. */
const retiredAfterMs = 3_600_000;

/** The key that signs. */
export const signingKey = (keys: readonly StoredKey[], now: number): StoredKey | undefined =>
  keys.findLast(({ activeAt }) => activeAt <= now) ?? keys[0];

/** When the next key has to be made. */
export const nextKeyAt = (keys: readonly StoredKey[], schedule: KeySchedule): number =>
  (keys.at(-1)?.activeAt ?? Number.NEGATIVE_INFINITY) + schedule.signingKeyMs - schedule.publishedKeyMs;

/** The list with another key: the first one is used at once. */
export const withKey = (
  keys: readonly StoredKey[],
  jwk: JWK,
  now: number,
  { publishedKeyMs }: KeySchedule,
): readonly StoredKey[] => [...keys, { jwk, activeAt: keys.length === 0 ? now : now + publishedKeyMs }];

/** The list without the keys whose tokens have all expired. */
export const withoutRetired = (keys: readonly StoredKey[], now: number, schedule: KeySchedule): readonly StoredKey[] =>
  keys.filter((_, n) => now < retiredAt(keys, n, schedule));

/** When the next change is due: a key is made, begins to sign, or is forgotten. */
export const nextChangeAt = (keys: readonly StoredKey[], now: number, schedule: KeySchedule): number =>
  Math.min(
    nextKeyAt(keys, schedule),
    ...keys.flatMap(({ activeAt }, n) => [activeAt, retiredAt(keys, n, schedule)]).filter((moment) => moment > now),
  );

const retiredAt = (keys: readonly StoredKey[], n: number, { tokenMs }: KeySchedule): number =>
  (keys[n + 1]?.activeAt ?? Number.POSITIVE_INFINITY) + tokenMs + retiredAfterMs;
