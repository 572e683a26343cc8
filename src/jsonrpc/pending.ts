/** A request of this side that waits for its answer, and the time it may take. */
import type { Deadline, Deadlines } from './deadlines.ts';
import type { IdTable } from './id-table.ts';
import type { RequestId } from './message.ts';
import type { Stillness } from './stillness.ts';

export interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly timeoutMs: number | undefined;
  deadline: Deadline | undefined;
  /** When it was sent, where its time began anew. */
  begun: number | undefined;
  /** How long time had stood still, all in all, when its time began. */
  stoodStill: number;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
}

export const pendingOf = (
  method: string,
  resolve: Pending['resolve'],
  reject: Pending['reject'],
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Pending => ({
  method,
  resolve,
  reject,
  timeoutMs,
  deadline: undefined,
  begun: undefined,
  stoodStill: 0,
  signal,
  onAbort: undefined,
});

export interface PendingTimes {
  begin(id: RequestId, waiting: Pending, ms: number, timeoutMs: number): void;
  /** The time of a request that waits begins anew, as long as no more than `totalMs` have passed in all. */
  renew(id: RequestId, totalMs: number): void;
}

/** `late` hears of a request whose time has passed, but for what of it stood still. */
export function createPendingTimes(
  pending: IdTable<Pending>,
  deadlines: Deadlines,
  stillness: Stillness,
  late: (id: RequestId, method: string, timeoutMs: number) => void,
): PendingTimes {
  function passed(id: RequestId, timeoutMs: number): void {
    const waiting = pending.get(id);
    if (waiting === undefined) return;
    const owed = stillness.total() - waiting.stoodStill;
    if (owed <= 0) return late(id, waiting.method, timeoutMs);
    waiting.deadline = undefined;
    stillness.whenRunning(() => pending.get(id) === waiting && begin(id, waiting, owed, timeoutMs));
  }

  function begin(id: RequestId, waiting: Pending, ms: number, timeoutMs: number): void {
    waiting.stoodStill = stillness.total();
    waiting.deadline = deadlines.add(ms, () => passed(id, timeoutMs));
  }

  function renew(id: RequestId, totalMs: number): void {
    const waiting = pending.get(id);
    if (waiting?.timeoutMs === undefined || waiting.deadline === undefined) return;
    waiting.begun ??= waiting.deadline.due - waiting.timeoutMs;
    const left = waiting.begun + totalMs - deadlines.now();
    if (left <= 0) return;
    deadlines.cancel(waiting.deadline);
    begin(id, waiting, Math.min(left, waiting.timeoutMs), waiting.timeoutMs);
  }

  return { begin, renew };
}
