/** Queues received items; `next` waits for one. */
export function inbox<T>() {
  const received: T[] = [];
  let wake = (): void => {};
  return {
    put(item: T): void {
      received.push(item);
      wake();
    },
    async next(): Promise<T> {
      while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return received.shift() as T;
    },
  };
}
