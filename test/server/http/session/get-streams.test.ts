/** GET streams of a session: the newest one gets the notifications, and earlier ones are closed when it disconnects. */

import { describe, expect, it, vi } from 'vitest';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { type RawSession, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import type { OpenResponse } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { allReceived, at, stores, twoNodes } from './two-nodes.ts';

const changed = 'notifications/tools/list_changed';
const methodsOn = (stream: OpenResponse): unknown[] => stream.messages().map(({ method }) => method);
const change = ({ server }: Pick<Served, 'server'>): void =>
  server.update((draft) => {
    delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
  });

describe.each(sessionRevisions)('the GET streams of a session at %s', (revision) => {
  it('get notifications on the newest, and the one before stays open and silent [s-http-38, s-http-39, s-http-40]', async () => {
    const served = await serve();
    const session = await startSession(served.url, revision);
    const first = await session.listen();
    change(served);
    await first.until(() => first.messages().length >= 1, 'a change');
    const second = await session.listen();
    change(served);
    await second.until(() => second.messages().length >= 1, 'the next change');
    expect((await session.post(request('ping'))).status).toBe(200);
    expect([methodsOn(first), methodsOn(second)]).toEqual([[changed], [changed]]);
    expect(served.stats().streams).toBe(2);
    for (const stream of [first, second]) stream.cut();
  });

  it('are closed when the newest disconnects, and the next one gets what was sent meanwhile', async () => {
    const served = await serve();
    const session = await startSession(served.url, revision);
    const [first, second] = [await session.listen(), await session.listen()];
    second.cut();
    expect(await withTimeout(first.ended, 'the first to be closed')).toBe(true);
    expect(first.text()).toContain('retry: 1000\n\n');
    await vi.waitFor(() => expect(served.stats().streams).toBe(0));
    change(served);
    const third = await session.listen();
    await third.until(() => third.messages().length >= 1, 'the change');
    third.cut();
  });

  it('stay open when a silent one disconnects', async () => {
    const served = await serve();
    const session = await startSession(served.url, revision);
    const [first, second] = [await session.listen(), await session.listen()];
    first.cut();
    await vi.waitFor(() => expect(served.stats().streams).toBe(1));
    change(served);
    await second.until(() => second.messages().length >= 1, 'the change');
    second.cut();
  });
});

async function receiveOnce(served: Served, session: RawSession): Promise<void> {
  const stream = await session.listen();
  change(served);
  await stream.until(() => stream.messages().length >= 1, 'a change');
  stream.cut();
  await vi.waitFor(() => expect(served.stats().streams).toBe(0));
}

it.each([
  ['before the first GET stream', async () => {}],
  ['since the last GET stream', receiveOnce],
])(
  'a GET stream after more notifications %s than are stored gets the stored ones, and the next',
  async (_when, prepare) => {
    const served = await serve({ limits: withFixed({}, { maxStreamChars: 300 }) });
    const session = await startSession(served.url, '2025-11-25');
    await prepare(served, session);
    for (let n = 0; n < 5; n++) change(served);
    const stream = await session.listen();
    await stream.until(() => stream.messages().length >= 2, 'the stored notifications');
    change(served);
    await stream.until(() => stream.messages().length >= 3, 'the next change');
    expect(methodsOn(stream)).toEqual([changed, changed, changed]);
    stream.cut();
  },
);

it('silent GET streams are limited: the oldest is closed', async () => {
  const served = await serve({ limits: withFixed({}, { maxStreams: 2 }) });
  const session = await startSession(served.url, '2025-11-25');
  const streams = [];
  for (let n = 0; n < 4; n++) streams.push(await session.listen());
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await withTimeout((streams[0] as OpenResponse).ended, 'the oldest to be closed')).toBe(true);
  expect(served.stats().streams).toBe(3);
  expect((await session.end()).status).toBe(204);
  for (const { ended } of streams) expect(await withTimeout(ended, 'the end of all streams')).toBe(true);
});

describe.each(stores)('with %s store', (_when, makeStore) => {
  it.each([
    ['before the first GET stream', async () => {}],
    ['since the last GET stream at the first endpoint', receiveOnce],
  ])(
    'a GET stream at another endpoint after more notifications %s than are stored gets stored ones, and the next',
    async (_when, prepare) => {
      const { a, b, store } = await twoNodes({ limits: withFixed({}, { maxStreamChars: 300 }) }, makeStore());
      const session = await startSession(a.url, '2025-11-25');
      await prepare(a, session);
      await allReceived(store);
      for (let n = 0; n < 5; n++) change(a);
      await allReceived(store);
      const stream = await at(b, session).listen();
      await stream.until(() => stream.messages().length > 0, 'the stored notifications');
      await allReceived(store);
      const before = stream.messages().length;
      change(b);
      await stream.until(() => stream.messages().length > before, 'the next change');
      expect(before).toBeLessThan(5);
      expect([...a.warnings, ...b.warnings]).toEqual([]);
      stream.cut();
    },
  );

  it('a GET stream stays open and silent while a newer one is open at another endpoint, and is closed after it [s-http-39, s-http-40]', async () => {
    const { a, b, store } = await twoNodes({}, makeStore());
    const session = await startSession(a.url, '2025-11-25');
    const first = await session.listen();
    const second = await at(b, session).listen();
    await allReceived(store);
    change(a);
    await second.until(() => second.messages().length >= 1, 'the change');
    expect((await session.post(request('ping'))).status).toBe(200);
    expect(methodsOn(first)).toEqual([]);
    expect([a.stats().streams, b.stats().streams]).toEqual([1, 1]);
    second.cut();
    expect(await withTimeout(first.ended, 'the first to be closed')).toBe(true);
    const third = await session.listen();
    await allReceived(store);
    change(b);
    await third.until(() => third.messages().length > 0, 'the next change');
    expect(methodsOn(third)).toEqual([changed]);
    third.cut();
  });
});
