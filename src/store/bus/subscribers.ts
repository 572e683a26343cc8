/** The subscribers of a message bus in this process, by topic. */

type Listener = (message: string) => void;

export class Subscribers {
  readonly #topics = new Map<string, Set<Listener>>();

  /** Whether anyone in this process has subscribed: to a topic, or to any. */
  has(topic?: string): boolean {
    return topic === undefined ? this.#topics.size > 0 : this.#topics.has(topic);
  }

  /** Returns a function that unsubscribes; it returns whether that was the last subscriber of the topic. */
  add(topic: string, onMessage: Listener): () => boolean {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    // A closure of its own: one function may subscribe twice.
    const own: Listener = (message) => onMessage(message);
    listeners.add(own);
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return false;
      return this.#topics.delete(topic);
    };
  }

  /** Each subscriber runs in a microtask of its own: one that throws affects no other, and the runtime reports it. */
  deliver(topic: string, message: string): void {
    for (const listener of this.#topics.get(topic) ?? [])
      queueMicrotask(() => {
        if (this.#topics.get(topic)?.has(listener)) listener(message);
      });
  }
}
