/** A connection by hand, for what no client of HTTP would send. */

import { connect as connectSocket, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { withTimeout } from '../with-timeout.ts';
import type { Sent } from './raw-http.ts';

interface Dialled {
  readonly socket: Socket;
  /** All that has come so far. */
  text(): string;
  /** Waits until what has come matches. A text of megabytes is searched for each part that comes: a function can look at its length first. */
  until(matches: RegExp | ((text: string) => boolean)): Promise<void>;
  /** Settles with all that came, when it is closed. */
  readonly received: Promise<string>;
}

export function dial({ url }: { readonly url: string }): Dialled {
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  const watchers = new Set<() => void>();
  socket.on('data', (chunk) => {
    text += chunk.toString();
    for (const watch of watchers) watch();
  });
  socket.on('error', () => {});
  const seen = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const until: Dialled['until'] = (matches) => {
    const isSo = typeof matches === 'function' ? matches : (all: string) => matches.test(all);
    const come = new Promise<void>((resolve) => {
      const watch = (): void => {
        if (!isSo(text)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
    return withTimeout(come, String(matches));
  };
  return {
    socket,
    text: () => text,
    until,
    // The wait begins when the test asks.
    get received() {
      return withTimeout(seen, 'the end of the connection');
    },
  };
}

/** The bytes of a request to `/mcp`. */
export function written({ method = 'POST', headers = {}, body }: Sent, target = '/mcp'): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const all = { host: 'localhost', ...(method === 'POST' && types), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  const length = method === 'POST' ? `content-length: ${Buffer.byteLength(text)}\r\n` : '';
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}\r\n${text}`;
}
