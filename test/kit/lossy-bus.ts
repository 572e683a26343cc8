/** A store whose bus loses messages, as one of a remote store does while its connection is made again. */
import type { Store } from 'tenon/store';

export interface LossyStore {
  /** The store as one node sees it. */
  readonly store: Store;
  /** No more messages are delivered to this node. */
  cut(): void;
  /** Messages are delivered again; the subscribers learn that some may have been lost. */
  reconnect(): void;
  /** Publishing and subscribing fail, or work again. */
  fail(isFailing: boolean): void;
}

export function lossyStore(store: Store): LossyStore {
  const missed = new Set<() => void>();
  let isCut = false;
  let isFailing = false;
  const check = (): void => {
    if (isFailing) throw new Error('There is no connection.');
  };
  return {
    store: {
      ...store,
      bus: {
        publish(topic, message) {
          check();
          return store.bus.publish(topic, message);
        },
        async subscribe(topic, onMessage, onMissed = () => undefined) {
          check();
          const stop = await store.bus.subscribe(topic, (message) => isCut || onMessage(message), onMissed);
          missed.add(onMissed);
          return () => {
            missed.delete(onMissed);
            stop();
          };
        },
      },
    },
    cut: () => void (isCut = true),
    reconnect() {
      isCut = false;
      for (const onMissed of missed) onMissed();
    },
    fail: (failing) => void (isFailing = failing),
  };
}
