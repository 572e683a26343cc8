/** Who asks to listen when the server begins to close, while a store is still asked for the session, is turned away. */

import { toFetchHandler } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { call, initialize, loneCall, notification } from '../../../kit/http/messages.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { secrets } from './two-nodes.ts';

/** A store that others share as well, as one endpoint sees it: it can be held up in one of its operations. */
function holding() {
  const memory = createMemoryStore();
  const requested = deferred();
  const held = deferred();
  const heldUp = new Set<string>();
  async function pass(name: string): Promise<void> {
    if (!heldUp.has(name)) return;
    requested.resolve();
    await held.promise;
  }
  const sessions: Store['sessions'] = {
    ...memory.sessions,
    create: (...given) => pass('create').then(() => memory.sessions.create(...given)),
    read: (...given) => pass('read').then(() => memory.sessions.read(...given)),
  };
  const events: Store['events'] = {
    ...memory.events,
    readAfter: (...given) => pass('after').then(() => memory.events.readAfter(...given)),
  };
  return {
    memory,
    store: { sessions, events, bus: memory.bus },
    /** Holds it up; settles when somebody waits. */
    holdUp(name: 'create' | 'read' | 'after'): Promise<void> {
      heldUp.add(name);
      return requested.promise;
    },
    goOn: () => held.resolve(),
  };
}

type Held = ReturnType<typeof holding>;
type Started = ReturnType<typeof start>;

const start = (store: Store) => {
  const internals = sampleServer({ secrets });
  const handle = toFetchHandler(internals.server, { sessions: { store } });
  open.push(handle.close);
  return { ...internals, handle };
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const get = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { headers: { accept: 'text/event-stream', ...headers } });

const post = (body: unknown, headers: object = {}): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

async function greet({ handle }: Started): Promise<{ readonly 'mcp-session-id': string }> {
  const { headers } = await handle(post(initialize('2025-11-25')));
  const named = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  await handle(post(notification('notifications/initialized'), named));
  return named;
}

/** Each gives the request, and what the store is held up in. */
const requests: [string, (held: Held, started: Started) => Promise<[Request, 'create' | 'read' | 'after']>][] = [
  ['without a session', async () => [get('/mcp/events'), 'create']],
  ['to a session that is held elsewhere', async ({ memory }) => [get('/mcp', await greet(start(memory))), 'read']],
  [
    'to a stream that it has read before',
    async (_held, started) => {
      const session = await greet(started);
      started.server.update((draft) => {
        delete draft.tools.fail;
      });
      return [get('/mcp', { ...session, 'last-event-id': '0.0' }), 'after'];
    },
  ],
];

describe.each(requests)('who comes to listen %s', (_who, make) => {
  it('and is found after the server has closed gets 503, and nothing stays open [S37]', async () => {
    const held = holding();
    const started = start(held.store);
    const { handle } = started;
    const [request, name] = await make(held, started);
    const waits = held.holdUp(name);
    const answer = handle(request);
    await withTimeout(waits, 'the store to be asked');
    await withTimeout(handle.close(), 'the end');
    held.goOn();
    const { status, headers } = await withTimeout(answer, 'the answer');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(handle.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });

  it('and is found while the last calls end gets 503 as well, and its place is given back [S37]', async () => {
    const held = holding();
    const started = start(held.store);
    const { handle, waits: runs, release } = started;
    const [request, name] = await make(held, started);
    const { headers, body } = loneCall('wait');
    const last = handle(post(body, headers));
    await withTimeout(runs, 'the handler');
    const waits = held.holdUp(name);
    const answer = handle(request);
    await withTimeout(waits, 'the store to be asked');
    const closed = handle.close();
    held.goOn();
    expect((await withTimeout(answer, 'the answer')).status).toBe(503);
    expect(handle.stats()).toMatchObject({ sessions: name === 'create' ? 0 : 1, streams: 0 });
    release();
    expect((await last).status).toBe(200);
    await withTimeout(closed, 'the end');
    expect(handle.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });
});

it('a message to a session that is held elsewhere, found after the server has closed, gets 503 and takes nothing up', async () => {
  const held = holding();
  const { handle } = start(held.store);
  const session = await greet(start(held.memory));
  const waits = held.holdUp('read');
  const answer = handle(post(call('echo', { text: 'x' }), session));
  await withTimeout(waits, 'the store to be asked');
  await withTimeout(handle.close(), 'the end');
  held.goOn();
  expect((await withTimeout(answer, 'the answer')).status).toBe(503);
  expect(handle.stats().sessions).toBe(0);
});
