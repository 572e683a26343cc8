/** HTTP by hand: every header is the test's own, and what comes back is kept as it came. */

import { request as begin, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createEventReader } from '../../../src/transport/sse.ts';
import { withTimeout } from '../with-timeout.ts';

export type Json = Record<string, unknown>;
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly method?: string;
  /** Added to those that every POST needs; `undefined` takes one away. */
  readonly headers?: Headers;
  /** Sent as it is, if it is a text; else as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Json;
}

export interface Event {
  readonly id: string | undefined;
  readonly data: string;
}

/** A response that is read as it comes. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that has come so far. */
  text(): string;
  events(): Event[];
  /** The messages of all events that have one. */
  messages(): Json[];
  /** Waits until something holds of what has come. */
  until(isSo: () => boolean, what: string): Promise<void>;
  /** Stops reading, and goes on. */
  pause(): void;
  resume(): void;
  /** Leaves without a word. */
  cut(): void;
  /** Settles when no more comes; says whether the response was whole. */
  readonly ended: Promise<boolean>;
}

const posted: Headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function open(url: string, { method = 'POST', headers = {}, body }: Sent = {}): Promise<OpenResponse> {
  const all = Object.entries({ ...(method === 'POST' && posted), ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const answered = new Promise<OpenResponse>((resolve, reject) => {
    const outgoing = begin(url, { method, headers: Object.fromEntries(all) as Record<string, string>, agent: false });
    outgoing.once('response', (message) => resolve(reading(message)));
    outgoing.once('error', reject);
    outgoing.end(text);
  });
  return withTimeout(answered, `the answer to ${method}`);
}

/** Sends, and reads the answer to its end. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const response = await open(url, sent);
  await withTimeout(response.ended, 'the end of the answer');
  const text = response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as Json;
    },
  };
}

/** Reads a response as it comes. */
function reading(message: IncomingMessage): OpenResponse {
  let text = '';
  const events: Event[] = [];
  const watchers = new Set<() => void>();
  const isStream = message.headers['content-type'] === 'text/event-stream';
  const reader = createEventReader({
    event: ({ id, data }) => void events.push({ id, data }),
    fault(error) {
      throw error;
    },
  });
  message.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (isStream) reader.push(chunk);
    for (const watch of watchers) watch();
  });
  message.on('error', () => {});
  const ended = new Promise<boolean>((resolve) => message.once('close', () => resolve(message.complete)));
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    text: () => text,
    events: () => events,
    messages: () => events.flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data) as Json])),
    until(isSo, what) {
      const settled = new Promise<void>((resolve) => {
        const watch = (): void => {
          if (!isSo()) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      });
      return withTimeout(settled, what);
    },
    pause: () => void message.pause(),
    resume: () => void message.resume(),
    cut: () => void message.destroy(),
    ended,
  };
}
