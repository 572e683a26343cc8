/** A promise that is settled from outside, for tests that wait for one thing to happen before the next. */
export function deferred<T = void>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve = (_value: T): void => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve(value) };
}
