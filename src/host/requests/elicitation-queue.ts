/** Shows the elicitations of many servers one at a time, the servers in rotation. */
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import { createDeferred } from '../../lib/values/deferred.ts';

export interface ElicitationQueue {
  /** Calls `run` when this server is next. Rejects with the signal's reason when it is aborted before the answer. */
  run<T>(server: string, signal: AbortSignal, run: () => Promise<T>): Promise<T>;
}

export function createElicitationQueue(): ElicitationQueue {
  /** Waiting elicitations by server. A server that was just served moves to the end. */
  const waiting = new Map<string, Array<() => void>>();
  let lastServer: string | undefined;
  let isBusy = false;

  function startNext(): void {
    const [first, second] = waiting;
    const chosen = first?.[0] === lastServer ? (second ?? first) : first;
    isBusy = chosen !== undefined;
    if (chosen === undefined) return;
    const [server, queue] = chosen;
    lastServer = server;
    const start = queue.shift();
    waiting.delete(server);
    if (queue.length > 0) waiting.set(server, queue);
    start?.();
  }

  function waitForStart(server: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        stopListening(signal, cancel);
        resolve();
      };
      const cancel = (): void => {
        const left = (waiting.get(server) ?? []).filter((one) => one !== start);
        if (left.length > 0) waiting.set(server, left);
        else waiting.delete(server);
        reject(signal.reason);
      };
      listenForAbort(signal, cancel);
      waiting.set(server, [...(waiting.get(server) ?? []), start]);
      if (!isBusy) startNext();
    });
  }

  return {
    async run(server, signal, run) {
      signal.throwIfAborted();
      await waitForStart(server, signal);
      try {
        return await unlessAborted(signal, run);
      } finally {
        startNext();
      }
    },
  };
}

/** Rejects when the signal is aborted, even if `run` ignores it: other elicitations must not wait. */
async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const aborted = createDeferred<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  listenForAbort(signal, onAbort);
  try {
    return await Promise.race([run(), aborted.promise]);
  } finally {
    stopListening(signal, onAbort);
  }
}
