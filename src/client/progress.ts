/** Routes news of progress to the call it belongs to. What comes late is dropped. */
import type { Fields, News } from '../protocol/neutral.ts';

export interface Told {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface Progress {
  told(news: News): void;
  /** Runs a call with a token of its own, and forgets the token when it ends. */
  during<T>(hear: (told: Told) => void, call: (token: string) => Promise<T>): Promise<T>;
}

export function createProgress(): Progress {
  const listeners = new Map<unknown, (told: Told) => void>();
  let next = 1;
  return {
    told({ params = {} }: News) {
      const { progressToken, progress, total, message } = params as Fields & { progress: number };
      const more = {
        ...(total !== undefined && { total: total as number }),
        ...(message !== undefined && { message: message as string }),
      };
      listeners.get(progressToken)?.({ progress, ...more });
    },
    async during(hear, call) {
      const token = `tenon-${next++}`;
      listeners.set(token, hear);
      try {
        return await call(token);
      } finally {
        listeners.delete(token);
      }
    },
  };
}
