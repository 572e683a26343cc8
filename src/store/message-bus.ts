/** Small messages between the processes that share a store. */
import type { MaybePromise } from './maybe-promise.ts';

export interface MessageBus {
  /** Sends a message to all subscribers of a topic, including the publisher: in order, after this turn of the event loop, at most once. */
  publish(topic: string, message: string): MaybePromise<void>;
  /** Subscribes to a topic. Returns how to unsubscribe. */
  subscribe(topic: string, onMessage: (message: string) => void): MaybePromise<() => void>;
}
