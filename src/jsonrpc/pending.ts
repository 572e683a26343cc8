/** A request of this side that waits for its answer, and the time it may take. */
import type { Deadline, Deadlines } from './deadlines.ts';
import type { IdTable } from './id-table.ts';
import type { RequestId } from './message.ts';
import { Stillness } from './stillness.ts';

export interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly timeoutMs: number | undefined;
  deadline: Deadline | undefined;
  /** When it was sent, less the time that had stood still by then. */
  begun: number | undefined;
  /** How long time had stood still, all in all, when its time began last. */
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

/** The time that each of them may take, but for what of it stood still. */
export class PendingTimes {
  readonly #pending: IdTable<Pending>;
  readonly #deadlines: Deadlines;
  readonly #late: Late;
  /** Made when time first stands still: on most connections it never does. */
  #stillness: Stillness | undefined;

  constructor(pending: IdTable<Pending>, deadlines: Deadlines, late: Late) {
    this.#pending = pending;
    this.#deadlines = deadlines;
    this.#late = late;
  }

  begin(id: RequestId, waiting: Pending, ms: number, timeoutMs: number): void {
    waiting.stoodStill = this.#stoodStill;
    waiting.deadline = this.#deadlines.add(ms, () => this.#passed(id, timeoutMs));
    waiting.begun ??= waiting.deadline.due - ms - waiting.stoodStill;
  }

  /** How long time has stood still, all in all. */
  get #stoodStill(): number {
    return this.#stillness?.total ?? 0;
  }

  /** The time of a request that waits begins anew, as long as no more than `totalMs` have run in all. */
  renew(id: RequestId, totalMs: number): void {
    const waiting = this.#pending.get(id);
    if (waiting?.timeoutMs === undefined || waiting.deadline === undefined || waiting.begun === undefined) return;
    const left = waiting.begun + totalMs + this.#stoodStill - this.#deadlines.now();
    if (left <= 0) return;
    this.#deadlines.cancel(waiting.deadline);
    this.begin(id, waiting, Math.min(left, waiting.timeoutMs), waiting.timeoutMs);
  }

  /** Time from here to `resume` counts for none of them. Pairs may overlap. */
  pause(): void {
    this.#stillness ??= new Stillness(this.#deadlines);
    this.#stillness.pause();
  }

  resume(): void {
    this.#stillness?.resume();
  }

  #passed(id: RequestId, timeoutMs: number): void {
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    const owed = this.#stoodStill - waiting.stoodStill;
    if (owed <= 0) return this.#late.late(id, waiting.method, timeoutMs);
    waiting.deadline = undefined;
    this.#stillness?.whenRunning(() => this.#pending.get(id) === waiting && this.begin(id, waiting, owed, timeoutMs));
  }
}

/** Hears of a request whose time has passed. */
export interface Late {
  late(id: RequestId, method: string, timeoutMs: number): void;
}
