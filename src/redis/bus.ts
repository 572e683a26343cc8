/** Messages between processes, by the channels of Redis. */
import type { Redis } from 'ioredis';
import type { MessageBus } from '../store/bus/message-bus.ts';
import { Subscribers } from '../store/bus/subscribers.ts';
import { named } from './connection.ts';
import type { RedisKeys } from './keys.ts';

/** `listening` is a connection of its own: one that has subscribed can do nothing else. */
export function createRedisBus(redis: Redis, listening: Redis, keys: RedisKeys): MessageBus {
  const subscribers = new Subscribers();
  listening.on('message', (channel: string, message: string) => subscribers.deliver(channel, message));

  /** Without a connection there is nothing to unsubscribe from. */
  const leave = (channel: string): void => void listening.unsubscribe(channel).catch(() => undefined);

  return {
    async publish(topic, message) {
      await named(redis.publish(keys.topic(topic), message));
    },
    async subscribe(topic, onMessage) {
      const channel = keys.topic(topic);
      const unsubscribe = subscribers.add(channel, onMessage);
      const stop = (): void => {
        if (unsubscribe()) leave(channel);
      };
      try {
        await named(listening.subscribe(channel));
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
  };
}
