/** Two servers over HTTP with one shared store, like two machines, and a session used at either of them. */

import type { ServeHttpOptions } from 'tenon';
import { createMemoryStore, type MemoryStore } from 'tenon/store';
import { asyncStore } from '../../../kit/async-store.ts';
import { type RawSession, sessionAt } from '../../../kit/http/messages.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

export const secrets = ['a secret that both of them know'];

/** A store that returns values, and one that returns promises. */
export const stores = [
  ['a synchronous', createMemoryStore],
  ['an asynchronous', asyncStore],
] as const;

export interface Nodes {
  readonly store: MemoryStore;
  readonly a: Served;
  readonly b: Served;
}

export async function twoNodes(
  options: ServeHttpOptions = {},
  store: MemoryStore = createMemoryStore(),
): Promise<Nodes> {
  const shared = { store, ...options };
  const [a, b] = [await serve(shared, { secrets }), await serve(shared, { secrets })];
  return { store, a, b };
}

/** Resolves when all subscribers have received what was published so far. */
export function allReceived({ bus }: MemoryStore): Promise<void> {
  const received = new Promise<void>((resolve) => void bus.subscribe('test', () => resolve()));
  void bus.publish('test', '');
  return withTimeout(received, 'the bus');
}

/** The same session, used at another address. */
export const at = ({ url }: Pick<Served, 'url'>, session: RawSession): RawSession => sessionAt(url, session);

/** The statuses for a session id: POST of a request, a notification and a response, GET, resuming GET, DELETE. */
export async function statuses(session: RawSession): Promise<number[]> {
  const { status: listening } = await session.listen();
  const { status: resuming } = await session.listen('0.0');
  const posts = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ];
  const posted = [];
  for (const body of posts) posted.push((await session.post(body)).status);
  return [...posted, listening, resuming, (await session.end()).status];
}

export const allNotFound = [404, 404, 404, 404, 404, 404];
