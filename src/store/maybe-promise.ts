/** Values that are there at once, or come later: what is kept in memory costs no promise, what is kept elsewhere may take its time. */

export type Soon<T> = T | Promise<T>;

/** What becomes of a value, as soon as it is there. */
export const soonThen = <T, U>(soon: Soon<T>, become: (value: T) => U): Soon<U> =>
  soon instanceof Promise ? soon.then(become) : become(soon);

/** Asks a driver, which may fail before it has a promise to fail by. */
export function asked<T>(ask: () => Soon<T>): Soon<T> {
  try {
    return ask();
  } catch (cause) {
    return Promise.reject(cause);
  }
}

/** Goes on with what was asked for: in this turn where it is there. */
export function whenThere<T>(ask: () => Soon<T>, run: (value: T) => void, failed: (error: unknown) => void): void {
  const soon = asked(ask);
  if (soon instanceof Promise) soon.then(run).catch(failed);
  else run(soon);
}
