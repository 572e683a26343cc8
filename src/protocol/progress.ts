/** Progress notifications: sent only while progress grows, and delivered to the request they belong to. */
import { IdTable } from '../jsonrpc/id-table.ts';
import { maxIdChars, type RequestId } from '../jsonrpc/message.ts';
import type { Fields } from '../lib/values/is.ts';
import type { Notification } from './neutral.ts';

/** Progress of a request, as one notification reports it. */
export interface ProgressUpdate {
  /** How far the request is. It grows with every update. */
  readonly progress: number;
  /** What `progress` will be at the end, if it is known. */
  readonly total?: number;
  /** What is being done now, for users. */
  readonly message?: string;
}

/** Sends the other side how far a request is. Progress that does not grow is not sent. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/** Counts notifications that belong to no request in progress. */
export interface DroppedProgress {
  late: number;
  unknown: number;
}

type ProgressListener = (update: ProgressUpdate) => void;

/** The requests of one side that wait for progress, by the token each was sent with. */
export class Progress {
  readonly #dropped: DroppedProgress;
  readonly #listeners = new IdTable<ProgressListener>();
  #next = 1;

  constructor(dropped: DroppedProgress) {
    this.#dropped = dropped;
  }

  /** Passes a notification to the listener of its token. Without one it is counted and dropped. */
  receive({ params = {} }: Notification): void {
    const { progressToken, progress, total, message } = params as Fields & { progress: number };
    const listener = this.#listeners.get(progressToken as RequestId);
    if (listener === undefined) {
      this.#dropped[this.#wasIssued(progressToken) ? 'late' : 'unknown']++;
      return;
    }
    listener({
      progress,
      ...(total !== undefined && { total: total as number }),
      ...(message !== undefined && { message: message as string }),
    });
  }

  /** Issues a token to send with a request. The listener stays until `end`. */
  begin(listener: ProgressListener): number {
    this.#listeners.set(this.#next, listener);
    return this.#next++;
  }

  end(token: number): void {
    this.#listeners.delete(token);
  }

  /** Runs a call with a token of its own, which ends with the call. */
  async during<T>(listener: ProgressListener, call: (token: number) => Promise<T>): Promise<T> {
    const token = this.begin(listener);
    try {
      return await call(token);
    } finally {
      this.end(token);
    }
  }

  /** Tokens count up: a lower one without a listener belongs to a request that is finished. */
  #wasIssued(token: unknown): boolean {
    return typeof token === 'number' && token >= 1 && token < this.#next;
  }
}

/** Every report repeats the token. */
export const isTokenTooLong = (token: unknown): boolean => typeof token === 'string' && token.length > maxIdChars;

/** Reports the progress of a request under the token it came with. Without a token, or with a long one, nothing is sent. */
export function createProgressReporter(
  progressToken: unknown,
  emit: (notification: Notification) => void,
): ReportProgress {
  if (progressToken === undefined || isTokenTooLong(progressToken)) return () => {};
  let furthest = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    if (!Number.isFinite(progress) || progress <= furthest) return;
    furthest = progress;
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    emit({ method: 'notifications/progress', params: { progressToken, progress, ...more } });
  };
}
