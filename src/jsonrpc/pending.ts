/** A request that waits for its answer, and its timeout. */
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../lib/time/deadlines.ts';
import { PausableClock } from '../lib/time/pausable-clock.ts';
import type { IdTable } from './id-table.ts';
import type { RequestId } from './message.ts';

export interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly timeoutMs: number | undefined;
  deadline: Deadline | undefined;
  /** When it was sent, less the total time paused before. */
  startedAt: number | undefined;
  /** The total time paused when its timeout was last started. */
  pausedMs: number;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
  /** The last answer to it that was not valid, and was dropped. */
  unreadable: TenonError | undefined;
}

export const createPending = (
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
  startedAt: undefined,
  pausedMs: 0,
  signal,
  onAbort: undefined,
  unreadable: undefined,
});

/** The timeouts of pending requests. Time spent paused does not count. */
export class PendingTimeouts {
  readonly #pending: IdTable<Pending>;
  readonly #deadlines: Deadlines;
  readonly #listener: TimeoutListener;
  /** Created at the first pause: most connections never pause. */
  #clock: PausableClock | undefined;

  constructor(pending: IdTable<Pending>, deadlines: Deadlines, listener: TimeoutListener) {
    this.#pending = pending;
    this.#deadlines = deadlines;
    this.#listener = listener;
  }

  start(id: RequestId, request: Pending, ms: number, timeoutMs: number): void {
    request.pausedMs = this.pausedMs;
    request.deadline = this.#deadlines.add(ms, () => this.#onDeadline(id, timeoutMs));
    request.startedAt ??= request.deadline.due - ms - request.pausedMs;
  }

  get pausedMs(): number {
    return this.#clock?.pausedMs ?? 0;
  }

  /** Restarts the timeout of a request, as long as no more than `totalMs` have passed in total. */
  renew(id: RequestId, totalMs: number): void {
    const request = this.#pending.get(id);
    if (request?.timeoutMs === undefined || request.deadline === undefined || request.startedAt === undefined) return;
    const left = request.startedAt + totalMs + this.pausedMs - this.#deadlines.now();
    if (left <= 0) return;
    this.#deadlines.cancel(request.deadline);
    this.start(id, request, Math.min(left, request.timeoutMs), request.timeoutMs);
  }

  /** Time until `resume` does not count. Pairs may overlap. */
  pause(): void {
    this.#clock ??= new PausableClock(this.#deadlines);
    this.#clock.pause();
  }

  resume(): void {
    this.#clock?.resume();
  }

  #onDeadline(id: RequestId, timeoutMs: number): void {
    const request = this.#pending.get(id);
    if (request === undefined) return;
    const remaining = this.pausedMs - request.pausedMs;
    if (remaining <= 0) return this.#listener.timedOut(id, request.method, timeoutMs);
    request.deadline = undefined;
    this.#clock?.whenRunning(() => this.#pending.get(id) === request && this.start(id, request, remaining, timeoutMs));
  }
}

export interface TimeoutListener {
  timedOut(id: RequestId, method: string, timeoutMs: number): void;
}
