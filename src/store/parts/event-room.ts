/** Which events of a session make room for others: a plan from what is known of its logs. */
import type { Log, TrimStep } from '../driver.ts';
import type { EventLogLimits } from '../event-store.ts';

/** What one session may have: its own limit, or that of all sessions where it is less. */
export const sessionRoom = ({ maxSessionChars, maxTotalStoredChars }: EventLogLimits): number =>
  Math.min(maxSessionChars, maxTotalStoredChars);

/** More room is made than is needed, so that the next events need none. */
export const roomLeft = 0.875;

/** Whether an event that was just added leaves no room for the next: then `planRoom` says what goes. */
export const needsRoom = (log: Log, limits: EventLogLimits): boolean =>
  log.chars > streamRoom(limits) || log.rowChars > sessionRoom(limits);

const streamRoom = (limits: EventLogLimits): number => Math.min(limits.maxStreamChars, sessionRoom(limits));

/** Everything of a log goes. */
export const allOf = (log: string): TrimStep => ({ log, above: -1, target: -1, least: -1, spare: 0 });

/**
 * The steps that make room after an event, where streams that have ended are gone: the longest open ones lose their oldest
 * events. The stream in use never loses its last event if it has room, and one that is read
 * at another process loses its last only when the others have none left.
 */
export function planRoom(logs: readonly Log[], inUse: Log, limits: EventLogLimits): readonly TrimStep[] {
  const [maxSize, maxStream] = [sessionRoom(limits), streamRoom(limits)];
  const size = logs.reduce((sum, { chars }) => sum + chars, 0);
  const spared = (log: Log, least: number): number =>
    log.isFollowed && size <= maxSize * 2 ? Math.max(least, log.count - log.given) : least;
  const shortened = (spare: number, above: number): TrimStep => {
    return { log: inUse.name, above, target: -1, least: maxStream, spare: spared(inUse, spare) };
  };
  // An event longer than its stream may have stays only where there is room for it.
  const steps = [shortened(1, -1), shortened(0, maxSize)];
  const excessOfStream = Math.max(0, inUse.chars - maxStream);
  if (size - excessOfStream <= maxSize) return steps;
  return [...steps, ...shortenOpen(logs, inUse, maxSize, spared)];
}

function shortenOpen(
  logs: readonly Log[],
  inUse: Log,
  maxSize: number,
  spared: (log: Log, least: number) => number,
): TrimStep[] {
  const target = maxSize * roomLeft;
  const open = logs
    .filter(({ chars }) => chars > 0)
    .sort((one, other) => Number(one.isFollowed) - Number(other.isFollowed) || other.chars - one.chars);
  return [target / open.length, 0].flatMap((least) =>
    open.map((log) => {
      const isSpared = log.name === inUse.name || (log.isFollowed && least > 0);
      return { log: log.name, above: target, target, least, spare: spared(log, isSpared ? 1 : 0) };
    }),
  );
}
