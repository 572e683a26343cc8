/** GET requests that still wait for the store when the server closes get 503. */

import { toFetchHandler } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { call, initialize, loneCall, notification } from '../../../kit/http/messages.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { secrets } from './two-nodes.ts';

/** A shared store whose operations can be blocked for one endpoint. */
function blockingStore() {
  const memory = createMemoryStore();
  const reached = deferred();
  const blocked = deferred();
  const blockedNames = new Set<string>();
  async function pass(name: string): Promise<void> {
    if (!blockedNames.has(name)) return;
    reached.resolve();
    await blocked.promise;
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
    /** Blocks the operation. Resolves when it is first called. */
    block(name: 'create' | 'read' | 'after'): Promise<void> {
      blockedNames.add(name);
      return reached.promise;
    },
    unblock: () => blocked.resolve(),
  };
}

type BlockingStore = ReturnType<typeof blockingStore>;
type Started = ReturnType<typeof start>;

const start = (store: Store) => {
  const internals = sampleServer({ secrets });
  const handle = toFetchHandler(internals.server, { store });
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

async function openSession({ handle }: Started): Promise<{ readonly 'mcp-session-id': string }> {
  const { headers } = await handle(post(initialize('2025-11-25')));
  const named = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  await handle(post(notification('notifications/initialized'), named));
  return named;
}

/** Each returns the request, and the store operation to block. */
const requests: [
  string,
  (blocked: BlockingStore, started: Started) => Promise<[Request, 'create' | 'read' | 'after']>,
][] = [
  ['without a session', async () => [get('/mcp/events'), 'create']],
  ['for a session of another endpoint', async ({ memory }) => [get('/mcp', await openSession(start(memory))), 'read']],
  [
    'that resumes a stream',
    async (_held, started) => {
      const session = await openSession(started);
      started.server.update((draft) => {
        delete draft.tools.fail;
      });
      return [get('/mcp', { ...session, 'last-event-id': '0.0' }), 'after'];
    },
  ],
];

describe.each(requests)('a GET request %s', (_name, make) => {
  it('whose store answers after the server has closed gets 503, and nothing stays open [S37]', async () => {
    const blocked = blockingStore();
    const started = start(blocked.store);
    const { handle } = started;
    const [request, name] = await make(blocked, started);
    const waits = blocked.block(name);
    const answer = handle(request);
    await withTimeout(waits, 'the store to be called');
    await withTimeout(handle.close(), 'the handler to close');
    blocked.unblock();
    const { status, headers } = await withTimeout(answer, 'the answer');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(handle.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });

  it('whose store answers while the last calls finish gets 503, and its stream is released [S37]', async () => {
    const blocked = blockingStore();
    const started = start(blocked.store);
    const { handle, waits: runs, release } = started;
    const [request, name] = await make(blocked, started);
    const { headers, body } = loneCall('wait');
    const last = handle(post(body, headers));
    await withTimeout(runs, 'the handler');
    const waits = blocked.block(name);
    const answer = handle(request);
    await withTimeout(waits, 'the store to be called');
    const closed = handle.close();
    blocked.unblock();
    expect((await withTimeout(answer, 'the answer')).status).toBe(503);
    expect(handle.stats()).toMatchObject({ sessions: name === 'create' ? 0 : 1, streams: 0 });
    release();
    expect((await last).status).toBe(200);
    await withTimeout(closed, 'the handler to close');
    expect(handle.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });
});

it('a POST to a session of another endpoint, found after the server has closed, gets 503 and loads no session', async () => {
  const blocked = blockingStore();
  const { handle } = start(blocked.store);
  const session = await openSession(start(blocked.memory));
  const waits = blocked.block('read');
  const answer = handle(post(call('echo', { text: 'x' }), session));
  await withTimeout(waits, 'the store to be called');
  await withTimeout(handle.close(), 'the handler to close');
  blocked.unblock();
  expect((await withTimeout(answer, 'the answer')).status).toBe(503);
  expect(handle.stats().sessions).toBe(0);
});
