/** News of progress, either way: told only while it grows, and routed to whoever waits. What comes late is dropped. */
import { IdTable } from '../jsonrpc/id-table.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Fields, News } from './neutral.ts';

/** Progress of a request, as one notification reports it. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Tells the other side how far something is. A step back is not told. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/** Where news that belongs to nothing under way is counted. */
export interface DroppedProgress {
  late: number;
  unknown: number;
}

export class Progress {
  readonly #dropped: DroppedProgress;
  readonly #listeners = new IdTable<(told: ProgressUpdate) => void>();
  #next = 1;

  constructor(dropped: DroppedProgress) {
    this.#dropped = dropped;
  }

  told({ params = {} }: News): void {
    const { progressToken, progress, total, message } = params as Fields & { progress: number };
    const hear = this.#listeners.get(progressToken as RequestId);
    if (hear === undefined) {
      this.#dropped[this.#wasGiven(progressToken) ? 'late' : 'unknown']++;
      return;
    }
    hear({
      progress,
      ...(total !== undefined && { total: total as number }),
      ...(message !== undefined && { message: message as string }),
    });
  }

  /** Gives a token that goes along with a call, until `end`. */
  begin(hear: (told: ProgressUpdate) => void): number {
    this.#listeners.set(this.#next, hear);
    return this.#next++;
  }

  end(token: number): void {
    this.#listeners.delete(token);
  }

  /** Runs a call with a token of its own, and forgets the token when it ends. */
  async during<T>(hear: (told: ProgressUpdate) => void, call: (token: number) => Promise<T>): Promise<T> {
    const token = this.begin(hear);
    try {
      return await call(token);
    } finally {
      this.end(token);
    }
  }

  /** Tokens count up, so one below the next that nobody listens to has had its time. */
  #wasGiven(token: unknown): boolean {
    return typeof token === 'number' && token >= 1 && token < this.#next;
  }
}

/** Tells of a request by the token it came with; without one nobody listens. */
export function tellProgress(progressToken: unknown, emit: (news: News) => void): ReportProgress {
  if (progressToken === undefined) return () => {};
  let furthest = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    if (!Number.isFinite(progress) || progress <= furthest) return;
    furthest = progress;
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    emit({ method: 'notifications/progress', params: { progressToken, progress, ...more } });
  };
}
