/** Values that may be promises, and how to run operations that return them. */
import { isPromiseLike } from './is.ts';

/** A value or a promise of it: a store in memory returns values, a remote store returns promises. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls a store. An error that it throws synchronously becomes a rejection. */
export function startOperation<T>(operation: () => MaybePromise<T>): MaybePromise<T> {
  try {
    return operation();
  } catch (cause) {
    return Promise.reject(cause);
  }
}

/** Runs an operation without waiting for it; a failure goes to `failed`. */
export function runInBackground(operation: () => unknown, failed: (cause: unknown) => void): void {
  const run = async (): Promise<void> => void (await operation());
  run().catch(failed);
}

/** Continues with a value that may be a promise, without making one where it is not. */
export function mapped<T, U>(value: MaybePromise<T>, change: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromiseLike(value) ? Promise.resolve(value).then(change) : change(value);
}
