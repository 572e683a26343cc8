/** The subscribers of a message bus in this process, by topic. */

interface Subscriber {
  readonly onMessage: (message: string) => void;
  readonly onMissed: (() => void) | undefined;
}

export class Subscribers {
  readonly #topics = new Map<string, Set<Subscriber>>();

  /** Whether anyone in this process has subscribed. */
  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  /** The topics with a subscriber. */
  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  /** Returns a function that unsubscribes; it returns whether that was the last subscriber of the topic. */
  add(topic: string, onMessage: Subscriber['onMessage'], onMissed?: () => void): () => boolean {
    const subscribers = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, subscribers);
    // An object of its own: one function may subscribe twice.
    const own: Subscriber = { onMessage, onMissed };
    subscribers.add(own);
    return () => {
      if (!subscribers.delete(own) || subscribers.size > 0) return false;
      return this.#topics.delete(topic);
    };
  }

  deliver(topic: string, message: string): void {
    for (const subscriber of this.#topics.get(topic) ?? [])
      this.#run(topic, subscriber, () => subscriber.onMessage(message));
  }

  /** Messages of any topic may have been lost. */
  missed(): void {
    for (const [topic, subscribers] of this.#topics)
      for (const subscriber of subscribers) this.#run(topic, subscriber, () => subscriber.onMissed?.());
  }

  /** Each subscriber runs in a microtask of its own: one that throws affects no other, and the runtime reports it. */
  #run(topic: string, subscriber: Subscriber, run: () => void): void {
    queueMicrotask(() => {
      if (this.#topics.get(topic)?.has(subscriber)) run();
    });
  }
}
