/** News of progress, either way: told only while it grows, and routed to whoever waits. What comes late is dropped. */
import { IdTable } from '../jsonrpc/id-table.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Fields, News } from './neutral.ts';

export interface Told {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Tells the other side how far something is. A step back is not told. */
export type TellProgress = (progress: number, total?: number, message?: string) => void;

export interface Progress {
  told(news: News): void;
  /** Gives a token that goes along with a call, until `end`. */
  begin(hear: (told: Told) => void): number;
  end(token: number): void;
  /** Runs a call with a token of its own, and forgets the token when it ends. */
  during<T>(hear: (told: Told) => void, call: (token: number) => Promise<T>): Promise<T>;
}

/** Where news that belongs to nothing under way is counted. */
export interface DroppedProgress {
  late: number;
  unknown: number;
}

export function createProgress(dropped: DroppedProgress): Progress {
  const listeners = new IdTable<(told: Told) => void>();
  let next = 1;
  /** Tokens count up, so one below the next that nobody listens to has had its time. */
  const wasGiven = (token: unknown): boolean => typeof token === 'number' && token >= 1 && token < next;
  function begin(hear: (told: Told) => void): number {
    listeners.set(next, hear);
    return next++;
  }
  function end(token: number): void {
    listeners.delete(token);
  }
  return {
    told({ params = {} }) {
      const { progressToken, progress, total, message } = params as Fields & { progress: number };
      const hear = listeners.get(progressToken as RequestId);
      if (hear === undefined) {
        dropped[wasGiven(progressToken) ? 'late' : 'unknown']++;
        return;
      }
      hear({
        progress,
        ...(total !== undefined && { total: total as number }),
        ...(message !== undefined && { message: message as string }),
      });
    },
    begin,
    end,
    async during(hear, call) {
      const token = begin(hear);
      try {
        return await call(token);
      } finally {
        end(token);
      }
    },
  };
}

/** Tells of a request by the token it came with; without one nobody listens. */
export function tellProgress(progressToken: unknown, emit: (news: News) => void): TellProgress {
  if (progressToken === undefined) return () => {};
  let furthest = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    if (!Number.isFinite(progress) || progress <= furthest) return;
    furthest = progress;
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    emit({ method: 'notifications/progress', params: { progressToken, progress, ...more } });
  };
}
