/** Many listeners on one AbortSignal by a single one: a signal that many calls share would else warn of a leak. */

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Runs once when the signal is aborted, unless taken back by `stopListening`. */
export function listenForAbort(signal: AbortSignal, run: () => void): void {
  const known = listeners.get(signal);
  if (known !== undefined) {
    known.add(run);
    return;
  }
  listeners.set(signal, new Set([run]));
  signal.addEventListener('abort', aborted, { once: true });
}

export function stopListening(signal: AbortSignal, run: () => void): void {
  const known = listeners.get(signal);
  if (known === undefined || !known.delete(run) || known.size > 0) return;
  listeners.delete(signal);
  signal.removeEventListener('abort', aborted);
}

/** One that throws keeps the others from nothing, and surfaces as it would from a listener of its own. */
function aborted(this: AbortSignal): void {
  const known = listeners.get(this);
  listeners.delete(this);
  for (const run of known ?? []) {
    try {
      run();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
