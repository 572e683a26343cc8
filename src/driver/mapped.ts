/** Continues with a value that may be a promise, without making one where it is not. */
import { isPromiseLike } from '../lib/values/is.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

export function mapped<T, U>(value: MaybePromise<T>, change: (value: T) => U): MaybePromise<U> {
  return isPromiseLike(value) ? Promise.resolve(value).then(change) : change(value);
}
