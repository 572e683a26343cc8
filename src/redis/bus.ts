/** Messages between processes, by the channels of Redis. */
import type { Redis } from 'ioredis';
import type { MessageBus } from '../store/message-bus.ts';
import { named } from './connection.ts';
import type { RedisKeys } from './keys.ts';

type Listener = (message: string) => void;

/** `subscriber` is a connection of its own: one that has subscribed can do nothing else. */
export function createRedisBus(redis: Redis, subscriber: Redis, keys: RedisKeys): MessageBus {
  const channels = new Map<string, Set<Listener>>();
  subscriber.on('message', (channel: string, message: string) => {
    // In a microtask of its own: a listener that throws affects no other, and the runtime reports it.
    for (const listener of channels.get(channel) ?? [])
      queueMicrotask(() => channels.get(channel)?.has(listener) && listener(message));
  });

  async function leave(channel: string): Promise<void> {
    if (channels.has(channel)) return;
    // Without a connection there is nothing to unsubscribe from.
    await subscriber.unsubscribe(channel).catch(() => undefined);
  }

  return {
    async publish(topic, message) {
      await named(redis.publish(keys.topic(topic), message));
    },
    async subscribe(topic, onMessage) {
      const channel = keys.topic(topic);
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners);
      // A closure of its own: one function may subscribe twice.
      const own: Listener = (message) => onMessage(message);
      listeners.add(own);
      const stop = (): void => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        channels.delete(channel);
        void leave(channel);
      };
      try {
        await named(subscriber.subscribe(channel));
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
  };
}
