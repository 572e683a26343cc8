/** Small messages between the processes that share a store. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** Publishes messages to the processes that share a store. Messages are hints: what must not be lost is in the store itself. */
export interface MessageBus {
  /** Sends a message to all subscribers of a topic, including the publisher: those of one publisher in order, at most once. */
  publish(topic: string, message: string): MaybePromise<void>;
  /**
   * Subscribes to a topic. `onMissed` is called when messages may have been lost, such as while a connection was made
   * again: messages published later arrive, and the subscriber reads again what the lost ones were about. Returns a
   * function that unsubscribes.
   */
  subscribe(topic: string, onMessage: (message: string) => void, onMissed?: () => void): MaybePromise<() => void>;
}
