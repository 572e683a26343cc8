/** A raw TCP connection, for bytes that no HTTP client would send. */

import { connect as connectSocket, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { withTimeout } from '../with-timeout.ts';
import type { Sent } from './raw-http.ts';

interface Dialled {
  readonly socket: Socket;
  /** The text received so far. */
  text(): string;
  /** Waits until the text matches. Every chunk searches the whole text again: for megabytes, a function can check the length first. */
  until(matches: RegExp | ((text: string) => boolean)): Promise<void>;
  /** Resolves with the whole text when the connection has closed. */
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
    const matched = new Promise<void>((resolve) => {
      const watch = (): void => {
        if (!isSo(text)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
    return withTimeout(matched, String(matches));
  };
  return {
    socket,
    text: () => text,
    until,
    // The timeout starts with the first read.
    get received() {
      return withTimeout(seen, 'the connection to close');
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
