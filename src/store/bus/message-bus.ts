/** Small messages between the processes that share a store. */
import type { MaybePromise } from '../maybe-promise.ts';

/** Publishes messages to the processes that share a store. */
export interface MessageBus {
  /** Sends a message to all subscribers of a topic, including the publisher: in order, after `publish` has returned, at most once. */
  publish(topic: string, message: string): MaybePromise<void>;
  /** Subscribes to a topic. Returns a function that unsubscribes. */
  subscribe(topic: string, onMessage: (message: string) => void): MaybePromise<() => void>;
}
