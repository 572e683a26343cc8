/** A store whose bus loses messages, as one of a remote store does while its connection is made again. */
import type { Store } from 'tenon/store';

export interface LossyStore {
  /** The store as one node sees it. */
  readonly store: Store;
  /** No more messages are delivered to this node. */
  cut(): void;
  /** Messages are delivered again; the subscribers learn that some may have been lost. */
  reconnect(): void;
  /** Messages wait until they are delivered; the subscribers are not notified of that. */
  hold(): void;
  deliver(): void;
  /** Publishing and subscribing fail, or work again. */
  fail(isFailing: boolean): void;
}

export function lossyStore(store: Store): LossyStore {
  const missed = new Set<() => void>();
  let isCut = false;
  let isFailing = false;
  let held: (() => void)[] | undefined;
  const receive = (run: () => void): void => {
    if (isCut) return;
    if (held === undefined) run();
    else held.push(run);
  };
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
          const stop = await store.bus.subscribe(topic, (message) => receive(() => onMessage(message)), onMissed);
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
    hold: () => void (held ??= []),
    deliver() {
      const waiting = held ?? [];
      held = undefined;
      for (const run of waiting) run();
    },
    fail: (failing) => void (isFailing = failing),
  };
}
