/** A principal that is revoked loses its sessions, streams and calls, at every node that shares the store. */
import type { Authenticate } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, vi } from 'vitest';
import { call, initialize, lone, loneCall, request, startSession } from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { lossyNodes } from '../../../kit/lossy-nodes.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { at, stores, twoNodes } from './two-nodes.ts';

const issuer = 'https://issuer.example';
/** `ada` of one issuer, and `other-ada` of another with the same subject. */
const authenticate: Authenticate = ({ header }) => {
  const user = header('x-user') ?? '';
  const expiresAt = header('x-expires') === 'soon' ? Date.now() + 1000 : undefined;
  return user === 'other-ada'
    ? { issuer: 'https://other.example', subject: 'ada' }
    : { issuer, subject: user, expiresAt };
};
const as = (user: string) => ({ 'x-user': user });
const wanted = { notifications: { toolsListChanged: true } };

/** Everything that a user can have open at a node. */
async function openAll(node: Served, user: string) {
  const session = await startSession(node.url, '2025-11-25', { headers: as(user) });
  const listener = lone('subscriptions/listen', wanted, {}, 'listener');
  const streams = [
    await session.listen(),
    await open(node.url, { ...listener, headers: { ...listener.headers, ...as(user) } }),
    await open(node.url.replace('/mcp', '/sse'), {
      method: 'GET',
      headers: { accept: 'text/event-stream', ...as(user) },
    }),
  ];
  return { session, streams };
}

describe('a principal that is revoked', () => {
  it.each(stores)(
    'loses its streams and sessions at both nodes with %s store, and others keep theirs',
    async (_what, create) => {
      const { a, b } = await twoNodes({ authenticate }, create());
      const ada = [await openAll(a, 'ada'), await openAll(b, 'ada')];
      const others = [await openAll(a, 'eve'), await openAll(b, 'other-ada')];
      a.revoke({ issuer, subject: 'ada' });
      for (const { streams } of ada) for (const stream of streams) await withTimeout(stream.ended, 'the stream to end');
      for (const { session } of ada) {
        expect((await session.post(request('ping'))).status).toBe(404);
        expect((await at(b, session).post(request('ping'))).status).toBe(404);
      }
      for (const { session } of others) expect((await session.post(request('ping'))).status).toBe(200);
      expect(a.stats()).toMatchObject({ sessions: 2, streams: 3 });
      expect(b.stats()).toMatchObject({ sessions: 2, streams: 3 });
      for (const { streams } of others) for (const stream of streams) stream.cut();
    },
  );

  it('loses sessions whose node got no message about it, or that no node has in memory; new ones begin [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes(undefined, { authenticate });
    const [ada, eve] = [await openAll(a, 'ada'), await openAll(a, 'eve')];
    busOfA.cut();
    b.revoke({ issuer, subject: 'ada' });
    const stored = await startSession(b.url, '2025-11-25', { headers: as('eve') });
    busOfA.reconnect();
    const [listening] = ada.streams;
    await withTimeout(listening?.ended ?? Promise.reject(new Error('no stream')), 'the stream to end');
    expect((await ada.session.post(request('ping'))).status).toBe(404);
    expect((await eve.session.post(request('ping'))).status).toBe(200);
    await b.close();
    // Its record is in the store, and no node has it.
    a.revoke({ issuer, subject: 'eve' });
    await vi.waitUntil(async () => (await at(a, stored).post(request('ping'))).status === 404);
    const again = await startSession(a.url, '2025-11-25', { headers: as('ada') });
    expect((await again.post(request('ping'))).status).toBe(200);
    for (const { streams } of [ada, eve]) for (const stream of streams) stream.cut();
  });

  it('has its running calls cancelled, each with 401 or the error on its stream', async () => {
    const { url, revoke, aborted, waits } = await serve({ authenticate });
    const sent = loneCall('wait');
    const answer = send(url, { ...sent, headers: { ...sent.headers, ...as('ada') } });
    await waits;
    revoke(JSON.stringify([issuer, 'ada']));
    expect(await answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
    expect(await aborted).toBe('its principal was revoked');
  });

  it('does not get a session back that is being read from the store', async () => {
    const store = createMemoryStore();
    const { a, b } = await twoNodes({ authenticate }, store);
    const session = await startSession(a.url, '2025-06-18', { headers: as('ada') });
    const { sessions } = store;
    const read = sessions.read.bind(sessions);
    sessions.read = (key) => {
      b.revoke({ issuer, subject: 'ada' });
      return read(key);
    };
    expect((await at(b, session).post(request('ping'))).status).toBe(404);
  });

  it('has its calls in a session answered with 401', async () => {
    const { url, revoke, waits } = await serve({ authenticate });
    const session = await startSession(url, '2025-06-18', { headers: as('ada') });
    const answer = session.post(call('wait'));
    await waits;
    revoke({ issuer, subject: 'ada' });
    expect(await answer).toMatchObject({ status: 401 });
    expect((await answer).json).toMatchObject({ id: 1, error: { code: -31401 } });
  });
});

describe('a stream of HTTP+SSE', () => {
  const openSse = (url: string, user: string) =>
    open(url.replace('/mcp', '/sse'), {
      method: 'GET',
      headers: { accept: 'text/event-stream', ...as(user), 'x-expires': 'soon' },
    });

  it('ends with its credential and a time to reconnect, unless its client has sent a message with a new one', async () => {
    const { url } = await serve({ authenticate });
    const renewed = await openSse(url, 'eve');
    await renewed.until(() => renewed.text().includes('session='), 'the URL to post to');
    const messages = new URL(/data: (\S+)/.exec(renewed.text())?.[1] ?? '', url).href;
    expect((await send(messages, { body: initialize('2024-11-05'), headers: as('eve') })).status).toBe(202);
    const expiring = await openSse(url, 'ada');
    await withTimeout(expiring.ended, 'the stream to end');
    expect(expiring.text()).toMatch(/retry: 1000\n\n$/);
    expect((await send(messages, { body: request('ping'), headers: as('eve') })).status).toBe(202);
    await renewed.until(() => renewed.events().some(({ data }) => data.includes('"id":1')), 'the answer to ping');
    renewed.cut();
  });
});
