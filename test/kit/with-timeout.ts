/** Limits a wait: a timeout fails the test with the name of what did not happen. */

/** Only a failing test waits this long, so it is enough for a busy machine. */
const patienceMs = 60_000;

export function withTimeout<T>(promise: Promise<T>, what: string, ms: number = patienceMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Waited ${ms} ms for ${what}.`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
