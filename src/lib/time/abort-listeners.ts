/** Many listeners on one AbortSignal behind a single one: otherwise Node warns of a leak when many calls share a signal. */

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Runs once when the signal is aborted, unless `stopListening` was called. */
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

/** A listener that throws does not stop the others; its error surfaces as from any event listener. */
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
