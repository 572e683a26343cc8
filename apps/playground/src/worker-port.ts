/** The backend in a worker: `{ id, name, body }` goes to it, `{ id, answer }` or `{ id, event }` comes back. */

import type { ApiAnswer, InspectorEvent } from '../../../src/inspector/api.ts';
import type { ApiPort } from '../../inspector/src/api/port.ts';

/** A worker, or one end of a `MessageChannel`. */
export type Messages = Pick<MessagePort, 'postMessage' | 'onmessage'>;

/** To the worker. `events` follows the events after `body.after`, until `stop` with the same id. */
export interface ToWorker {
  readonly id: number;
  readonly name: string;
  readonly body: unknown;
}

export type FromWorker =
  | { readonly id: number; readonly answer: ApiAnswer<unknown> }
  | { readonly id: number; readonly event: InspectorEvent };

export function workerPort(messages: Messages): ApiPort {
  const waiting = new Map<number, (answer: ApiAnswer<unknown>) => void>();
  const followers = new Map<number, (event: InspectorEvent) => void>();
  let last = 0;
  const post = (id: number, name: string, body: unknown): void => {
    const message: ToWorker = { id, name, body };
    messages.postMessage(message, []);
  };
  messages.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if ('event' in data) return followers.get(data.id)?.(data.event);
    waiting.get(data.id)?.(data.answer);
    waiting.delete(data.id);
  };
  return {
    needsKey: false,
    send: (name, body) =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, resolve);
        post(id, name, body);
      }),
    async *events(after, signal, onOpen) {
      const id = ++last;
      let queue: InspectorEvent[] = [];
      let wake = (): void => {};
      const woken = (): void => wake();
      followers.set(id, (event) => {
        queue.push(event);
        wake();
      });
      signal.addEventListener('abort', woken);
      post(id, 'events', { after });
      onOpen();
      try {
        while (!signal.aborted) {
          if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
          const events = queue;
          queue = [];
          if (events.length > 0) yield events;
        }
      } finally {
        signal.removeEventListener('abort', woken);
        followers.delete(id);
        post(id, 'stop', {});
      }
    },
  };
}
