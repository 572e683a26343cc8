/** One user interface for many servers: one question at a time, and no server holds up the others. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';

export interface Turns {
  /** Runs when it is this server's turn. Rejects with the signal's reason where it is aborted before the end. */
  take<T>(server: string, signal: AbortSignal, run: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  /** Who waits, by server; one that was served and waits again stands last. */
  const waiting = new Map<string, Array<() => void>>();
  let served: string | undefined;
  let isBusy = false;

  function next(): void {
    const [first, second] = waiting;
    const chosen = first?.[0] === served ? (second ?? first) : first;
    isBusy = chosen !== undefined;
    if (chosen === undefined) return;
    const [server, queue] = chosen;
    served = server;
    const begin = queue.shift();
    waiting.delete(server);
    if (queue.length > 0) waiting.set(server, queue);
    begin?.();
  }

  function turn(server: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        stopListening(signal, leave);
        resolve();
      };
      const leave = (): void => {
        const left = (waiting.get(server) ?? []).filter((one) => one !== begin);
        if (left.length > 0) waiting.set(server, left);
        else waiting.delete(server);
        reject(signal.reason);
      };
      listenForAbort(signal, leave);
      waiting.set(server, [...(waiting.get(server) ?? []), begin]);
      if (!isBusy) next();
    });
  }

  return {
    async take(server, signal, run) {
      signal.throwIfAborted();
      await turn(server, signal);
      try {
        return await unlessAborted(signal, run);
      } finally {
        next();
      }
    },
  };
}

/** Whoever shows the question may not look at the signal: the others are not to wait for that. */
async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  let leave = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
  });
  listenForAbort(signal, leave);
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    stopListening(signal, leave);
  }
}
