/** A node that closes hands over what other nodes can go on with: listeners, notifications, streams. */
import { connect } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { call, request, startSession } from '../../../kit/http/messages.ts';
import type { Served } from '../../../kit/http/sample-server.ts';
import { lossyNodes } from '../../../kit/lossy-nodes.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { startBalancer } from './balancer.ts';
import { allReceived, at, stores, twoNodes } from './two-nodes.ts';

const revision = '2025-11-25';

const change = ({ server }: Served): void =>
  server.update((draft) => {
    delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
  });

describe.each(stores)('a node that closes, with %s store', (_name, make) => {
  it('ends the streams of listeners with the time to wait, before its calls have finished [S20, S31]', async () => {
    const { a, b } = await twoNodes({ timeouts: { shutdownMs: 60_000 } }, make());
    const session = await startSession(a.url, revision);
    const running = await session.open({ body: call('wait', {}, 7, { progressToken: 'mine' }) });
    await running.until(() => running.messages().length >= 1, 'the progress');
    const stream = await session.listen();
    const closed = a.close();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.text()).toContain('retry: 1000');
    const resumed = await at(b, session).listen();
    expect(resumed.status).toBe(200);
    a.release();
    expect(await withTimeout(running.ended, 'the result')).toBe(true);
    expect(running.messages().at(-1)).toMatchObject({ id: 7, result: {} });
    await withTimeout(closed, 'a to be closed');
    resumed.cut();
  });

  it('hands notifications over to a node that holds the session, at once [S20, S31]', async () => {
    const store = make();
    const { a, b } = await twoNodes({}, store);
    const session = await startSession(a.url, revision);
    expect((await at(b, session).post(request('ping'))).status).toBe(200);
    await withTimeout(a.close(), 'a to be closed');
    await allReceived(store);
    await allReceived(store);
    change(b);
    const stream = await at(b, session).listen();
    await stream.until(() => stream.messages().length >= 1, 'the change');
    expect(stream.messages()).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
    stream.cut();
  });

  it('does not let the next node send again what its listener got [S20, S31]', async () => {
    const { a, b } = await twoNodes({}, make());
    const session = await startSession(a.url, revision);
    const stream = await session.listen();
    change(a);
    await stream.until(() => stream.messages().length >= 1, 'the change');
    await withTimeout(a.close(), 'a to be closed');
    const next = await at(b, session).listen();
    b.server.log('warning', 'after that');
    await next.until(() => next.messages().length >= 1, 'a message');
    expect(next.messages()).toMatchObject([{ method: 'notifications/message' }]);
    next.cut();
  });

  it('lets the next node notify a session that no other held [S20, S31]', async () => {
    const { a, b } = await twoNodes({}, make());
    const session = await startSession(a.url, revision);
    await withTimeout(a.close(), 'a to be closed');
    expect((await at(b, session).post(request('ping'))).status).toBe(200);
    change(b);
    const stream = await at(b, session).listen();
    await stream.until(() => stream.messages().length >= 1, 'the change');
    stream.cut();
  });

  it('has stored the outcome of every call, and is no longer alive, when close() resolves [S20, S31]', async () => {
    const store = make();
    const { a, b } = await twoNodes({ timeouts: { shutdownMs: 0 } }, store);
    const session = await startSession(a.url, revision);
    const first = await session.open({ body: call('wait', {}, 7, { progressToken: 'mine' }) });
    await first.until(() => first.messages().length >= 1, 'the progress');
    const last = first.events().at(-1)?.id;
    first.cut();
    await withTimeout(a.close(), 'a to be closed');
    expect(await store.nodes.beat('test', 1)).toEqual(['test']);
    const stream = await at(b, session).listen(last);
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([{ id: 7, error: { data: { outcome: 'unknown' } } }]);
  });

  it('sends the error of a call that it cancels to the client that is connected [S20]', async () => {
    const { a } = await twoNodes({ timeouts: { shutdownMs: 0 } }, make());
    const session = await startSession(a.url, revision);
    const stream = await session.open({ body: call('wait', {}, 7, { progressToken: 'mine' }) });
    await stream.until(() => stream.messages().length >= 1, 'the progress');
    await withTimeout(a.close(), 'a to be closed');
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject({ id: 7, error: { data: { outcome: 'unknown' } } });
  });
});

it('a client keeps its subscription through a load balancer when one of two nodes closes [S20, S31]', async () => {
  const { a, b } = await twoNodes();
  const balancer = await startBalancer(a.url, b.url);
  // The session and its stream are at a.
  balancer.targets = [a.url];
  const client = await connect(balancer.url, { protocolVersions: [revision] });
  const subscription = await client.subscribe({ toolsListChanged: true });
  const changes = subscription[Symbol.asyncIterator]();
  await expect.poll(() => balancer.passed).toContain('GET 0 200');
  change(a);
  expect(await withTimeout(changes.next(), 'the first change')).toMatchObject({ value: { type: 'tools' } });
  balancer.targets = [b.url];
  await withTimeout(a.close(), 'a to be closed');
  await expect.poll(() => balancer.passed).toContain('GET 1 200');
  change(b);
  expect(await withTimeout(changes.next(), 'the second change')).toMatchObject({ value: { type: 'tools' } });
  expect(await client.tools.call('count', { to: 0 })).toMatchObject({ content: [{ text: 'counted to 0' }] });
  await client.close();
});

it('a node that closes leaves a session to the node at which its client listens since [S20, S31]', async () => {
  const { a, b, busOfA, store } = await lossyNodes();
  const session = await startSession(a.url, revision);
  busOfA.hold();
  const stream = await at(b, session).listen();
  await withTimeout(a.close(), 'a to be closed');
  const holder = async () => (await store.sessions.read(session.id.slice(0, 16)))?.holder;
  await vi.waitUntil(async () => (await holder()) !== '');
  change(b);
  await stream.until(() => stream.messages().length >= 1, 'the change');
  expect(stream.messages()[0]).toMatchObject({ method: expect.stringMatching(/^notifications\//) });
  stream.cut();
});
