/** Subscriptions opened or updated on a connection that is lost: like any other call they wait for the next. */
import { type ProtocolVersion, TenonError } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { answeringServer, listen, type Requested, subscribe, unsubscribe } from '../../kit/client/answering-server.ts';
import { still } from '../../kit/client/simulated-server.ts';
import { isSession } from '../../kit/version-order.ts';

const uris = ['a://b'];
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error) => error,
  );

const setUp = (revision: ProtocolVersion) => {
  const setting = answeringServer(revision);
  const method = !isSession(revision) ? listen : subscribe;
  /** Makes the next `times` subscribe requests fail. */
  const failing = (times: number, fail: (request: Requested) => void): void => {
    let left = times;
    setting.takes = (one) => {
      if (one.method !== method || left === 0) return false;
      left--;
      fail(one);
      return true;
    };
  };
  return { ...setting, setting, failing, attempts: () => setting.of(method) };
};

const losses: ReadonlyArray<readonly [string, (request: Requested) => void]> = [
  ['the server has forgotten the session', ({ wire, id }) => wire.fail(id, new TenonError('session-expired', 'Lost.'))],
  ['the connection is refused', ({ wire, id }) => wire.fail(id, new TenonError('connection-refused', 'Refused.'))],
  ['the connection is cut', ({ wire }) => wire.close(new Error('cut'))],
];

describe.each(protocolVersions)('At %s, where', (revision) => {
  it.each(losses)('%s, a subscription is opened on the next connection', async (_, fail) => {
    const { world, failing, attempts, pass } = setUp(revision);
    const client = world.client();
    await client.connection.ready();
    failing(1, fail);
    const opening = client.subscribe({ resourceSubscriptions: uris });
    await pass(1000);
    const changes = await opening;
    expect(changes.acknowledged).toEqual({ resourceSubscriptions: uris });
    expect(attempts().map(({ wire }) => world.wires.indexOf(wire))).toEqual([0, 1]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it.each(losses)('%s, a watcher is set up on the next connection', async (_, fail) => {
    const { world, failing, pass } = setUp(revision);
    const client = world.client();
    await client.connection.ready();
    failing(1, fail);
    const seen: unknown[] = [];
    const watching = client.resources.watch('a://b', (contents) => void seen.push(contents));
    await pass(1000);
    await (await watching).close();
    expect(seen).toEqual([[]]);
    await client.close();
  });

  it.each(losses)('%s, a subscription is updated on the next connection', async (_, fail) => {
    const { world, failing, pass } = setUp(revision);
    const client = world.client();
    const changes = await client.subscribe({ resourceSubscriptions: ['a://first'] });
    failing(1, fail);
    const updating = changes.update({ resourceSubscriptions: uris });
    await pass(1000);
    await updating;
    expect(changes.acknowledged).toEqual({ resourceSubscriptions: uris });
    await client.close();
  });

  it.each(losses)('%s, and reconnect is off, subscribe rejects with that error', async (_, fail) => {
    const { world, failing, attempts } = setUp(revision);
    const client = world.client({ reconnect: false });
    await client.connection.ready();
    failing(1, fail);
    expect(await failure(client.subscribe({ resourceSubscriptions: uris }))).toMatchObject({ name: 'TenonError' });
    expect(attempts()).toHaveLength(1);
    await client.close();
  });

  it('one response is cut off and the connection stays, the request is sent again on it', async () => {
    const { world, failing, attempts } = setUp(revision);
    const client = world.client();
    await client.connection.ready();
    const error = new TenonError('connection-closed', 'Cut off.', { details: { url: 'http://a.example/' } });
    failing(1, ({ wire, id }) => wire.fail(id, error));
    await client.subscribe({ resourceSubscriptions: uris });
    expect([attempts().length, world.wires.length]).toEqual([2, 1]);
    await client.close();
  });

  it('the server sends Retry-After, the request is sent again after that time', async () => {
    const { world, failing, attempts, pass } = setUp(revision);
    const client = world.client();
    await client.connection.ready();
    const later = { status: 503, retryAfterMs: 2000 };
    failing(1, ({ wire, id }) => wire.fail(id, new TenonError('server-unavailable', 'Later.', { details: later })));
    const opening = client.subscribe({ resourceSubscriptions: uris });
    await pass(1900);
    expect(attempts()).toHaveLength(1);
    await pass(200);
    expect((await opening).acknowledged).toEqual({ resourceSubscriptions: uris });
    expect(attempts().map(({ wire }) => world.wires.indexOf(wire))).toEqual([0, 0]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('the server does not come back, the timeout of the caller applies', async () => {
    const { world, failing, pass } = setUp(revision);
    const client = world.client({ reconnect: { maxConsecutiveFailures: 1000 } });
    await client.connection.ready();
    failing(1, ({ wire, id }) => wire.fail(id, new TenonError('connection-refused', 'Refused.')));
    world.mode = 'refusing';
    const opening = failure(client.subscribe({ resourceSubscriptions: uris }, { timeoutMs: 5000 }));
    await pass(4999);
    expect(await Promise.race([opening, still()])).toBeUndefined();
    await pass(1);
    expect(await opening).toMatchObject({ code: 'timeout', cause: { code: 'connection-refused' } });
    await client.close();
  });

  it('the session is lost again and again, subscribe rejects with the last error', async () => {
    const { world, failing, attempts, pass } = setUp(revision);
    const client = world.client({ reconnect: { maxConsecutiveFailures: 1000 } });
    failing(100, ({ wire, id }) => wire.fail(id, new TenonError('session-expired', 'Lost.')));
    const opening = failure(client.subscribe({ resourceSubscriptions: uris }, { timeoutMs: 600_000 }));
    for (let n = 0; n < 10; n++) await pass(30_000);
    expect(await opening).toMatchObject({ code: 'session-expired' });
    expect(attempts()).toHaveLength(5);
    await client.close();
  });

  it('the client is closing, the connection stays open for the pending calls', async () => {
    const { world, setting, failing, attempts } = setUp(revision);
    const client = world.client();
    await client.connection.ready();
    failing(1, () => {});
    const takesSubscribe = setting.takes;
    setting.takes = (one) => one.method === 'tools/call' || takesSubscribe(one);
    const calling = client.tools.call('slow');
    const opening = failure(client.subscribe({ resourceSubscriptions: uris }));
    await still();
    const closing = client.close();
    const [attempt] = attempts() as [Requested];
    attempt.wire.fail(attempt.id, new TenonError('connection-refused', 'Refused.'));
    expect(await opening).toMatchObject({ code: 'connection-closed' });
    const [call] = setting.of('tools/call') as [Requested];
    call.wire.answer(call.id, { result: { content: [], resultType: 'complete' } });
    expect(await calling).toMatchObject({ content: [] });
    await closing;
  });
});

it('A subscription that shares the pending request of another sends its own when the other is cancelled', async () => {
  const setting = answeringServer('2025-11-25');
  const client = setting.world.client();
  await client.connection.ready();
  setting.takes = ({ method }) => method === subscribe && setting.of(subscribe).length === 1;
  const controller = new AbortController();
  const first = failure(client.subscribe({ resourceSubscriptions: uris }, { signal: controller.signal }));
  await still();
  const second = client.subscribe({ resourceSubscriptions: uris });
  await still();
  expect(setting.of(subscribe)).toHaveLength(1);
  controller.abort();
  expect(await first).toMatchObject({ code: 'cancelled' });
  expect((await second).acknowledged).toEqual({ resourceSubscriptions: uris });
  expect(setting.of(subscribe)).toHaveLength(2);
  await still();
  expect(setting.of(unsubscribe)).toEqual([]);
  await client.close();
});
