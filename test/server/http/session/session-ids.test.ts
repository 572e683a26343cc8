/** Session ids are sealed: an invalid one is rejected without reading the store. */
import { createMemoryStore } from 'tenon/store';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { call, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { sampled } from '../../../kit/sampled.ts';
import { allNotFound, at, secrets, statuses, stores, twoNodes } from './two-nodes.ts';

const newest = '2025-11-25';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const ping = async (url: string, id: string): Promise<number> =>
  (await send(url, { body: request('ping'), headers: { 'mcp-session-id': id } })).status;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a session id', () => {
  it('that differs in any bit gets 404, and the store is not read [s-http-50, s-security-38]', async () => {
    const { a, b, store } = await twoNodes();
    const { id } = await startSession(a.url, newest);
    const read = vi.spyOn(store.sessions, 'read');
    const forged = [...id].flatMap((letter, place) =>
      [1, 2, 4, 8, 16, 32].map((bit) => {
        const other = alphabet[alphabet.indexOf(letter) ^ bit] ?? '';
        return id.slice(0, place) + other + id.slice(place + 1);
      }),
    );
    expect(new Set(forged).size).toBe(id.length * 6);
    for (const url of [a.url, b.url]) {
      const answers = await Promise.all(sampled(forged).map((one) => ping(url, one)));
      expect(answers.every((status) => status === 404)).toBe(true);
    }
    expect(read).not.toHaveBeenCalled();
    expect(await ping(b.url, id)).toBe(200);
    expect(read).toHaveBeenCalledOnce();
  });

  it('that is malformed, cut or longer gets 404', async () => {
    const { a, b, store } = await twoNodes();
    const { id } = await startSession(a.url, newest);
    const read = vi.spyOn(store.sessions, 'read');
    const wrong = [
      'x',
      '',
      id.slice(1),
      id.slice(0, -1),
      `${id}A`,
      `${id}=`,
      id + id,
      'A'.repeat(5000),
      `${id}, ${id}`,
    ];
    for (const url of [a.url, b.url]) for (const one of wrong) expect([one, await ping(url, one)]).toEqual([one, 404]);
    expect(read).not.toHaveBeenCalled();
  });

  it('of a server with other secrets or another name is rejected, and one sealed with an earlier secret is accepted', async () => {
    const store = createMemoryStore();
    const read = vi.spyOn(store.sessions, 'read');
    const own = await serve({ store }, { secrets });
    const { id } = await startSession(own.url, newest);
    const other = await serve({ store }, { secrets: ['a secret of another server only'] });
    const named = await serve({ store }, { secrets }, { name: 'other' });
    expect([await ping(other.url, id), await ping(named.url, id)]).toEqual([404, 404]);
    expect(read).not.toHaveBeenCalled();
    const renewed = await serve({ store }, { secrets: ['the next secret of this server', ...secrets] });
    expect(await ping(renewed.url, id)).toBe(200);
    const { id: next } = await startSession(renewed.url, newest);
    expect(await ping(own.url, next)).toBe(404);
  });

  it('of a lost store is rejected without reading the store, in use or not [s-http-56]', async () => {
    const { a, b, store } = await twoNodes();
    const [used, unused] = [await startSession(a.url, newest), await startSession(a.url, newest)];
    const listening = await used.listen();
    store.clear();
    const read = vi.spyOn(store.sessions, 'read');
    for (const session of [used, unused]) {
      expect(await statuses(session)).toEqual(allNotFound);
      expect(await statuses(at(b, session))).toEqual(allNotFound);
    }
    expect(read).not.toHaveBeenCalled();
    expect(await listening.ended).toBe(true);
    expect(a.stats().sessions).toBe(0);
    expect((await startSession(a.url, newest)).greeting.status).toBe(200);
  });

  it('expires after maxAgeMs, even if its session is in use', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { a, b, store } = await twoNodes({ sessions: { maxAgeMs: 3_600_000, idleTimeoutMs: 10_000_000 } });
    const session = await startSession(a.url, newest);
    vi.setSystemTime(Date.now() + 3_599_000);
    expect([await ping(a.url, session.id), await ping(b.url, session.id)]).toEqual([200, 200]);
    vi.setSystemTime(Date.now() + 1000);
    const read = vi.spyOn(store.sessions, 'read');
    expect(await statuses(session)).toEqual(allNotFound);
    expect(await statuses(at(b, session))).toEqual(allNotFound);
    expect(read).not.toHaveBeenCalled();
  });

  it.each([2 ** 48, Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY])(
    'with a maxAgeMs of %d is valid at every endpoint',
    async (maxAgeMs) => {
      const { a, b } = await twoNodes({ sessions: { maxAgeMs } });
      const { id } = await startSession(a.url, newest);
      expect([await ping(a.url, id), await ping(b.url, id)]).toEqual([200, 200]);
    },
  );

  it.each(sessionRevisions)('carries the revision %s and the principal of its session', async (revision) => {
    const { a, b } = await twoNodes({ authenticate: (sent) => sent.header('x-user') || { anonymous: true } });
    const session = await startSession(a.url, revision, { headers: { 'x-user': 'ada' } });
    for (const user of ['eve', undefined, '']) {
      const foreign = { ...session, headers: { ...session.headers, 'x-user': user } };
      expect(await statuses(at(a, foreign))).toEqual(allNotFound);
      expect(await statuses(at(b, foreign))).toEqual(allNotFound);
    }
    expect((await at(b, session).post(call('echo', { text: 'x' }))).status).toBe(200);
  });
});

describe.each(stores)('a session record in %s store', (_when, makeStore) => {
  it('expires when its session is idle at all endpoints, and not before [s-http-56, S37]', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { a, b, store } = await twoNodes(
      { sessions: { idleTimeoutMs: 60_000 }, timeouts: { keepAliveMs: 5 } },
      makeStore(),
    );
    const session = await startSession(a.url, newest);
    const update = vi.spyOn(store.sessions, 'update');
    for (let times = 1; times <= 4; times++) {
      vi.setSystemTime(Date.now() + 40_000);
      expect(await ping(b.url, session.id)).toBe(200);
      await vi.waitFor(() => expect(update).toHaveBeenCalledTimes(times), 10_000);
      // A clock that jumps while it is written would expire the record.
      await Promise.all(update.mock.results.map(({ value }) => value as unknown));
    }
    await vi.waitFor(() => expect([a.stats().sessions, b.stats().sessions]).toEqual([0, 1]), 10_000);
    expect(await ping(a.url, session.id)).toBe(200);
    vi.setSystemTime(Date.now() + 61_000);
    await vi.waitFor(() => expect([a.stats().sessions, b.stats().sessions]).toEqual([0, 0]), 10_000);
    expect([await ping(a.url, session.id), await ping(b.url, session.id)]).toEqual([404, 404]);
  });

  it('that is missing makes its session unknown at other endpoints', async () => {
    const store = makeStore();
    const { a, b } = await twoNodes({}, store);
    const session = await startSession(a.url, newest);
    await store.sessions.delete(session.id.slice(0, 16));
    expect(await statuses(at(b, session))).toEqual(allNotFound);
  });
});

it('a failing store is passed to onWarning, and clients get 503 with retry-after', async () => {
  const { a, b, store } = await twoNodes();
  const session = await startSession(a.url, newest);
  const broken = new Error('a secret of the store');
  vi.spyOn(store.sessions, 'read').mockRejectedValue(broken);
  vi.spyOn(store.sessions, 'create').mockRejectedValue(broken);
  const there = at(b, session);
  const headers = { 'x-request-id': 'mine-1' };
  const refused = [
    await there.post(request('ping'), headers),
    await send(b.url, { method: 'DELETE', headers: { ...session.headers, ...headers } }),
    await send(b.url, { body: request('initialize', session.greeting.json.result as never), headers }),
  ];
  expect(refused[0]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(refused[1]).toMatchObject({ status: 503 });
  for (const { text } of refused) expect(text).not.toContain('secret');
  for (const warning of b.warnings)
    expect(warning).toMatchObject({ code: 'store-failed', cause: broken, details: { requestId: 'mine-1' } });
  expect(b.warnings.length).toBeGreaterThanOrEqual(2);
});
