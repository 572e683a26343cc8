/** Bounds a wait: what does not happen in time fails the test and says what it waited for. */

/** Only a test that fails waits this long, so it is enough for a machine that is busy with other things. */
const patienceMs = 60_000;

export function withTimeout<T>(promise: Promise<T>, what: string, ms: number = patienceMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Waited ${ms} ms for ${what}.`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
