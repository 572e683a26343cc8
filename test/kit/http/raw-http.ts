/** Raw HTTP: the test sets every header and reads the response unchanged. */

import { request as begin, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createEventReader } from '../../../src/transport/sse.ts';
import { withTimeout } from '../with-timeout.ts';

export type Json = Record<string, unknown>;
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly method?: string;
  /** Added to the headers that every POST needs. `undefined` removes a header. */
  readonly headers?: Headers;
  /** A string is sent as it is, anything else as JSON. */
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

/** A response that is read while it arrives. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The text received so far. */
  text(): string;
  events(): Event[];
  /** The messages of all events that have one. */
  messages(): Json[];
  /** Waits until a condition holds for the received data. */
  until(isSo: () => boolean, what: string): Promise<void>;
  /** Stops reading; `resume` continues. */
  pause(): void;
  resume(): void;
  /** Destroys the connection. */
  cut(): void;
  /** Resolves when the response has closed: whether it was complete. */
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

/** Sends a request and reads the complete response. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const response = await open(url, sent);
  await withTimeout(response.ended, 'the answer to be complete');
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

/** Reads a response while it arrives. */
function reading(message: IncomingMessage): OpenResponse {
  let text = '';
  const events: Event[] = [];
  const watchers = new Set<() => void>();
  const isStream = message.headers['content-type'] === 'text/event-stream';
  const reader = createEventReader({
    event: ({ id, data }) => void events.push({ id, data }),
    onWarning(error) {
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
