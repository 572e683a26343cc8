/** Small messages between the processes that share a store. */
import type { MaybePromise } from './maybe-promise.ts';

export interface Bus {
  /** Tells everybody who listens to a topic, whoever published included: in order, later than this turn, at most once. */
  publish(topic: string, message: string): MaybePromise<void>;
  /** Listens to a topic. Gives back how to stop. */
  subscribe(topic: string, hear: (message: string) => void): MaybePromise<() => void>;
}
