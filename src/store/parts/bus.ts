/** Messages between processes on an engine. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../codec.ts';
import type { StoreDriver } from '../driver.ts';
import type { MessageBus } from '../message-bus.ts';

const pathOf = (topic: string): Path => ['message', topic];

/** A message that is published in a run with something else. */
export interface Hint {
  readonly topic: string;
  readonly text: string;
}

export const publishOp = ({ topic, text }: Hint, codec: Codec) =>
  ({ op: 'publish', topic, text: codec.seal(pathOf(topic), text) }) as const;

/** A message that cannot be read is reported, and counts as lost: messages are hints. */
export function busOn(driver: StoreDriver, codec: Codec, onError: (cause: unknown) => void): MessageBus {
  function opened(topic: string, message: string): string | undefined {
    try {
      return codec.open(pathOf(topic), message);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
  return {
    publish: (topic, text) => mapped(driver.run('bus', [publishOp({ topic, text }, codec)]), () => undefined),
    subscribe: (topic, onMessage, onMissed) =>
      driver.subscribe(
        topic,
        (message) => {
          const text = opened(topic, message);
          if (text === undefined) onMissed?.();
          else onMessage(text);
        },
        onMissed,
      ),
  };
}
