/** A server over HTTP whose responses the test writes. It records its requests and closes at the end of the test. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { protocolVersions } from '../../../src/protocol/revisions/revisions.ts';
import { exchangeVersion, isSession } from '../version-order.ts';
import { withTimeout } from '../with-timeout.ts';
import { forgetVersions } from './remembered-versions.ts';

export type Json = Record<string, unknown>;

/** One request as received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The posted message. */
  readonly message: Json;
  readonly response: ServerResponse;
  /** Resolves when the client has disconnected or the response is complete. */
  readonly closed: Promise<void>;
}

/** Answers a request. `false` leaves it to the default answers. */
export type Script = (received: Received) => unknown;

export interface Scripted {
  readonly url: string;
  readonly origin: string;
  readonly received: Received[];
  /** The posted requests whose message has this method. */
  posted(method: string): Received[];
  /** Resolves with the nth request that matches. */
  until(fits: (one: Received) => boolean, nth?: number): Promise<Received>;
  /** Refuses connections from now on, and ends those that are open. */
  stop(): void;
}

export const session = '2025-11-25';
export const alone = exchangeVersion;
const listChanged = true;
const capabilities = { tools: { listChanged }, resources: { subscribe: true, listChanged }, prompts: { listChanged } };

export const discovery = {
  supportedVersions: protocolVersions.filter((id) => !isSession(id)),
  capabilities,
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
};

/** The default answers, of a server of both lifecycles. */
function answerByDefault({ method, message, response }: Received): void {
  const { id, method: called, params } = message as { id?: unknown; method?: string; params?: Json };
  if (method === 'GET') return void response.writeHead(405).end();
  if (method === 'DELETE') return void response.writeHead(204).end();
  if (id === undefined || called === undefined) return void response.writeHead(202).end();
  const meta = params?._meta as Json | undefined;
  const isAlone = meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  if (called === 'server/discover') return answer(response, id, discovery);
  if (called === 'initialize')
    return answer(response, id, { protocolVersion: params?.protocolVersion, capabilities, serverInfo });
  const list = called.endsWith('/list') ? { [lists[called] ?? 'items']: [] } : undefined;
  const plain = list ?? { content: [{ type: 'text', text: 'done' }], contents: [], messages: [] };
  const cached = { ttlMs: 0, cacheScope: 'private' };
  answer(response, id, isAlone ? { ...plain, resultType: 'complete', ...(called !== 'tools/call' && cached) } : plain);
}
const serverInfo = { name: 'scripted', version: '1' };
const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
};

export function answer(response: ServerResponse, id: unknown, result: unknown, headers: Json = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...(headers as Record<string, string>) });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export function refuse(response: ServerResponse, status: number, error?: Json, headers: Json = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...(headers as Record<string, string>) });
  response.end(error === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

/** Starts an event stream. */
export function stream(response: ServerResponse, text = ''): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (text !== '') response.write(text);
  return response;
}

export const event = (message: Json, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

export const textResult = (text: string): Json => ({ content: [{ type: 'text', text }] });

export async function scripted(script: Script = () => false): Promise<Scripted> {
  const received: Received[] = [];
  const watchers = new Set<() => void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      const message = (body === '' ? {} : JSON.parse(body)) as Json;
      const { method = '', url: path = '', headers } = request;
      const one: Received = { method, path, headers, message, response, closed };
      received.push(one);
      if (script(one) === false) answerByDefault(one);
      for (const watch of watchers) watch();
    });
  });
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(() => {
    stop();
    // The next server may get the same port.
    forgetVersions();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    received,
    stop,
    posted: (method) => received.filter(({ message }) => message.method === method),
    until(fits, nth = 1) {
      const found = new Promise<Received>((resolve) => {
        const watch = (): void => {
          const one = received.filter(fits)[nth - 1];
          if (one === undefined) return;
          watchers.delete(watch);
          resolve(one);
        };
        watchers.add(watch);
        watch();
      });
      return withTimeout(found, 'a request');
    },
  };
}
