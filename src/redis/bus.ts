/** Messages between processes, by the channels of Redis. */
import type { Redis } from 'ioredis';
import type { MessageBus } from '../store/message-bus.ts';
import { Subscribers } from '../store/subscribers.ts';
import { failed, named } from './connection.ts';
import type { EngineKeys } from './engine/keys.ts';

export interface RedisBus extends MessageBus {
  close(): void;
}

/** How often the connection is tried: one that is dead without having been closed loses messages. */
const tryMs = 5000;

/** `listening` is a connection of its own: one that has subscribed can do nothing else. */
export function createRedisBus(
  redis: Redis,
  listening: Redis,
  keys: Pick<EngineKeys, 'topic'>,
  onError: (cause: unknown) => void,
): RedisBus {
  const subscribers = new Subscribers();
  let timer: NodeJS.Timeout | undefined;
  listening.on('message', (channel: string, message: string) => subscribers.deliver(channel, message));
  listening.on('ready', () => void whileConnected(subscribeAgain));

  /** Messages that were published since the connection was lost did not arrive. They arrive again once this has been answered. */
  async function subscribeAgain(): Promise<void> {
    const channels = subscribers.topics();
    if (channels.length === 0) return;
    await listening.subscribe(...channels);
    subscribers.missed();
  }

  /** A connection that does not answer is made again, which subscribes again. */
  async function whileConnected(command: () => Promise<unknown>): Promise<void> {
    if (listening.status !== 'ready') return;
    try {
      await command();
    } catch (cause) {
      onError(failed(cause));
      if (listening.status === 'ready') listening.disconnect(true);
    }
  }

  function start(): void {
    timer ??= setInterval(() => void whileConnected(() => listening.ping()), tryMs).unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  /** Without a connection there is nothing to unsubscribe from. */
  function leave(channel: string): void {
    listening.unsubscribe(channel).catch(() => undefined);
    if (subscribers.isEmpty) stop();
  }

  return {
    async publish(topic, message) {
      await named(redis.publish(keys.topic(topic), message));
    },
    async subscribe(topic, onMessage, onMissed) {
      const channel = keys.topic(topic);
      const unsubscribe = subscribers.add(channel, onMessage, onMissed);
      const end = (): void => {
        if (unsubscribe()) leave(channel);
      };
      try {
        await named(listening.subscribe(channel));
      } catch (error) {
        end();
        throw error;
      }
      start();
      return end;
    },
    close: stop,
  };
}
