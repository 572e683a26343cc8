/** Continues with a value that may be a promise, without making one where it is not. */
import { isPromiseLike } from '../jsonrpc/promise-like.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';

export const mapped = <T, U>(value: MaybePromise<T>, next: (value: T) => U): MaybePromise<U> =>
  isPromiseLike(value) ? value.then(next) : next(value);
