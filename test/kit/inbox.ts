/** Keeps what is heard, and waits for the next. */
export function inbox<T>() {
  const heard: T[] = [];
  let wake = (): void => {};
  return {
    put(item: T): void {
      heard.push(item);
      wake();
    },
    async next(): Promise<T> {
      while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return heard.shift() as T;
    },
  };
}
