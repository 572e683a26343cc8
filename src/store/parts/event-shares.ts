/** Whose events make room when all sessions have too many: a plan from what the share of each caller has. */
import type { LogShare } from '../driver.ts';
import type { EventLogLimits } from '../event-store.ts';
import { roomLeft } from './event-room.ts';

/** What the names of shares begin with: callers without a principal can have many addresses, and make room apart from the others. */
const ofAnonymous = 'anonymous ';
const ofOthers = 'known ';

/** The name of a share in the store; `undefined` where nothing limits the events of all sessions. */
export function eventShare(
  { share, isAnonymous, maxTotalStoredChars }: EventLogLimits,
  session: string,
  nameOf: (share: string) => string,
): string | undefined {
  if (!Number.isFinite(maxTotalStoredChars)) return undefined;
  return (isAnonymous === true ? ofAnonymous : ofOthers) + nameOf(share ?? `session ${session}`);
}

/**
 * The size that each share is to have that has too much, the largest first. Callers without a principal may have half of
 * the room together, the others the other half, and either what the other leaves. Of those who have too much together,
 * the largest are cut to one size, so that no caller loses events before those that have more.
 */
export function planShares(shares: readonly LogShare[], maxChars: number): readonly LogShare[] {
  const room = maxChars * roomLeft;
  const anonymous = shares.filter(({ share }) => share.startsWith(ofAnonymous));
  const others = shares.filter(({ share }) => !share.startsWith(ofAnonymous));
  const roomBeside = (beside: readonly LogShare[]): number => Math.max(room / 2, room - sumOf(beside));
  return [...cut(anonymous, roomBeside(others)), ...cut(others, roomBeside(anonymous))];
}

/** Cuts the largest to one size, so that all have room together. */
function cut(shares: readonly LogShare[], room: number): readonly LogShare[] {
  let rest = sumOf(shares);
  if (rest <= room) return [];
  const sorted = shares.toSorted((one, other) => other.chars - one.chars || (one.share < other.share ? -1 : 1));
  for (const [at, { chars }] of sorted.entries()) {
    rest -= chars;
    const size = Math.max(0, (room - rest) / (at + 1));
    if (size >= (sorted[at + 1]?.chars ?? 0))
      return sorted.slice(0, at + 1).map(({ share }) => ({ share, chars: size }));
  }
  return [];
}

const sumOf = (shares: readonly LogShare[]): number => shares.reduce((sum, { chars }) => sum + chars, 0);
