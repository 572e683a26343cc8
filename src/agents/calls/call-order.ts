/** The order of calls: those of one server one after another, except for reads that may run together; servers in parallel. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';

/**
 * Calls of one toolkit that wait for their turn.
 * @limit agents
 * @beyond the call is not made, and its outcome says so
 * @code queue-full
 */
export const maxWaitingCalls = 1000;

export interface CallOrder {
  /** Runs the call when it is its turn. Rejects with the reason of the signal if that is aborted before. */
  run<T>(server: string, isShared: boolean, signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly server: string;
  readonly isShared: boolean;
  start(): void;
}

/** `maxConcurrent` counts all servers. With `isParallel` there is no order within a server. */
export function createCallOrder(maxConcurrent: number, isParallel: boolean): CallOrder {
  const waiting: Waiting[] = [];
  const running: Waiting[] = [];

  const mayStart = (one: Waiting, before: readonly Waiting[]): boolean => {
    if (running.length >= maxConcurrent) return false;
    if (isParallel) return true;
    const others = [...running, ...before].filter(({ server }) => server === one.server);
    return others.length === 0 || (one.isShared && others.every(({ isShared }) => isShared));
  };

  function next(): void {
    for (let n = 0; n < waiting.length; ) {
      const one = waiting[n] as Waiting;
      if (!mayStart(one, waiting.slice(0, n))) n++;
      else {
        waiting.splice(n, 1);
        running.push(one);
        one.start();
      }
    }
  }

  return {
    async run(server, isShared, signal, call) {
      signal?.throwIfAborted();
      if (waiting.length >= maxWaitingCalls)
        throw new TenonError('queue-full', `${maxWaitingCalls} calls wait for their turn.`);
      const turn = await new Promise<Waiting>((resolve, reject) => {
        const one: Waiting = { server, isShared, start: () => leave(() => resolve(one)) };
        const abandon = (): void =>
          leave(() => {
            waiting.splice(waiting.indexOf(one), 1);
            reject(signal?.reason);
            next();
          });
        const leave = (then: () => void): void => {
          if (signal !== undefined) stopListening(signal, abandon);
          then();
        };
        waiting.push(one);
        if (signal !== undefined) listenForAbort(signal, abandon);
        next();
      });
      try {
        return await call();
      } finally {
        running.splice(running.indexOf(turn), 1);
        next();
      }
    },
  };
}
