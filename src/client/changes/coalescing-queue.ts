/** A queue in which a new item replaces a waiting item with the same key. */

export interface CoalescingQueue<T> {
  readonly size: number;
  has(key: string): boolean;
  put(key: string, value: T): void;
  /** Ends the queue. The reader gets the error, if any, after the waiting items. */
  end(error?: Error): void;
  next(): Promise<IteratorResult<T, undefined>>;
}

export function createCoalescingQueue<T>(): CoalescingQueue<T> {
  const waiting = new Map<string, T>();
  let state: { is: 'open' } | { is: 'ended'; error: Error | undefined } = { is: 'open' };
  /** Waiting readers, each with a function that wakes it. */
  let readers: Array<() => void> = [];
  const wake = (): void => {
    const woken = readers;
    readers = [];
    for (const read of woken) read();
  };
  return {
    get size() {
      return waiting.size;
    },
    has: (key) => waiting.has(key),
    put(key, value) {
      if (state.is === 'ended') return;
      waiting.set(key, value);
      wake();
    },
    end(error) {
      if (state.is === 'open') state = { is: 'ended', error };
      wake();
    },
    async next() {
      for (;;) {
        const [first] = waiting;
        if (first !== undefined) {
          waiting.delete(first[0]);
          return { done: false, value: first[1] };
        }
        if (state.is === 'ended') {
          if (state.error !== undefined) throw state.error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => readers.push(resolve));
      }
    },
  };
}
