/** Subscriptions survive temporary failures: a server that closes gracefully, is busy, or refuses one resource. */
import { type ConnectOptions, type ProtocolVersion, TenonError } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../../src/client/api/changes.ts';
import type { Json } from '../../kit/client/manual-transport.ts';
import { type ManualTransport } from '../../kit/client/manual-transport.ts';
import { type SimulatedServer, simulateServer, still } from '../../kit/client/simulated-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const exchange = '2026-07-28';
const sessions = sessionVersions;
const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
const listen = 'subscriptions/listen';

interface Requested {
  readonly wire: ManualTransport;
  readonly id: number;
  readonly method: string;
  readonly params: Json;
}

interface Setting {
  readonly world: SimulatedServer;
  readonly requested: Requested[];
  /** The ids of cancelled requests. */
  readonly cancelled: unknown[];
  /** All requests of one method, in order. */
  of(method: string): Requested[];
  /** Handles a request instead of the default answers. */
  takes: (request: Requested) => unknown;
}

const metaOf = ({ id }: Requested): Json => ({ 'io.modelcontextprotocol/subscriptionId': id });

const acknowledge = (request: Requested): void =>
  request.wire.write({
    method: 'notifications/subscriptions/acknowledged',
    params: { ...request.params, _meta: metaOf(request) },
  });

/** Completes a listen request gracefully. */
const finish = (request: Requested): void =>
  request.wire.answer(request.id, { result: { resultType: 'complete', _meta: metaOf(request) } });

function setUp(revision: ProtocolVersion): Setting {
  const setting: Setting = {
    world: simulateServer({
      revision,
      capabilities,
      received(wire, message) {
        const { id, method, params = {} } = message as { id?: number; method: string; params?: Json };
        if (method === 'notifications/cancelled') setting.cancelled.push(params.requestId);
        if (id === undefined) return;
        const one = { wire, id, method, params };
        setting.requested.push(one);
        queueMicrotask(() => {
          if (setting.takes(one)) return;
          if (method === listen) acknowledge(one);
          else wire.answer(id, { result: method === 'tools/call' ? { content: [] } : {} });
        });
      },
    }),
    requested: [],
    cancelled: [],
    of: (method) => setting.requested.filter((one) => one.method === method),
    takes: () => false,
  };
  return setting;
}

/** Records the changes of a subscription, and how it ended. */
function follow(changes: Subscription): { readonly seen: string[]; ended: 'done' | Error | undefined } {
  const followed: { readonly seen: string[]; ended: 'done' | Error | undefined } = { seen: [], ended: undefined };
  const reading = async (): Promise<void> => {
    for await (const change of changes) followed.seen.push(change.type === 'resource' ? change.uri : change.type);
  };
  reading().then(
    () => (followed.ended = 'done'),
    (error: Error) => (followed.ended = error),
  );
  return followed;
}

async function pass({ clock }: SimulatedServer, ms: number): Promise<void> {
  await still();
  clock.advance(ms);
  await still();
}

async function restart(world: SimulatedServer): Promise<void> {
  world.wire()?.close(new Error('restarted'));
  await pass(world, 1000);
}

async function listening(options: ConnectOptions = {}) {
  const setting = setUp(exchange);
  const client = setting.world.client(options);
  const changes = await client.subscribe({ toolsListChanged: true });
  const followed = follow(changes);
  const last = (): Requested => setting.of(listen).at(-1) as Requested;
  const end = (): void => finish(last());
  return { ...setting, setting, client, changes, followed, last, end };
}

describe('a subscription without a session', () => {
  it('is opened again when the server completes it, and the reader gets a change', async () => {
    const { world, client, followed, of, end } = await listening();
    end();
    await pass(world, 1000);
    expect([of(listen).length, followed]).toEqual([2, { seen: ['tools'], ended: undefined }]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('is opened again with growing delays when the server completes it each time', async () => {
    const { world, client, setting, of, end } = await listening();
    setting.takes = (one) => {
      if (one.method !== listen) return false;
      acknowledge(one);
      finish(one);
      return true;
    };
    end();
    for (let second = 0; second < 600; second++) await pass(world, 1000);
    // The delays have a factor of one half: 0.25 s, 0.5 s, … up to 15 s.
    expect(of(listen).length).toBeGreaterThan(30);
    expect(of(listen).length).toBeLessThan(50);
    await client.close();
  });

  it.each([
    ['busy', new TenonError('server-unavailable', 'Not now.')],
    ['being replaced', new TenonError('endpoint-not-found', 'Nothing here.')],
    ['unreachable', new TenonError('unreachable', 'No route.')],
  ])('survives a server that is %s when it is opened again', async (_, error) => {
    const { world, client, setting, followed, of, end } = await listening();
    setting.takes = ({ wire, id, method }) =>
      method === listen && of(listen).length < 4 && (wire.fail(id, error), true);
    end();
    for (let n = 0; n < 5; n++) await pass(world, 5000);
    expect([of(listen).length, followed]).toEqual([4, { seen: ['tools'], ended: undefined }]);
    await client.close();
  });

  it('survives a server that does not answer when it is opened again', async () => {
    const { world, client, setting, followed, of, end } = await listening({ timeoutMs: 3000 });
    setting.takes = ({ method }) => method === listen && of(listen).length < 3;
    end();
    for (let n = 0; n < 5; n++) await pass(world, 3000);
    expect([of(listen).length, followed]).toEqual([3, { seen: ['tools'], ended: undefined }]);
    await client.close();
  });

  it('is not opened again before Retry-After has passed', async () => {
    const { world, client, last, of } = await listening();
    const error = new TenonError('server-unavailable', 'Not now.', { details: { retryAfterMs: 60_000 } });
    last().wire.fail(last().id, error);
    await pass(world, 59_999);
    expect(of(listen)).toHaveLength(1);
    await pass(world, 1000);
    expect(of(listen)).toHaveLength(2);
    await client.close();
  });

  it('ends with the error when the server answers unauthorized', async () => {
    const { world, client, last, followed } = await listening();
    last().wire.fail(last().id, new TenonError('unauthorized', 'Token required.'));
    await pass(world, 60_000);
    expect(followed.ended).toMatchObject({ code: 'unauthorized' });
    await client.close();
  });

  it('ends when the server completes it and reconnect is off', async () => {
    const { world, client, followed, of, end } = await listening({ reconnect: false });
    end();
    await pass(world, 60_000);
    expect([of(listen).length, followed.ended]).toEqual([1, 'done']);
    await client.close();
  });

  it('that is closed during an update leaves no request open', async () => {
    const { client, changes, setting, of, cancelled } = await listening();
    const errors: unknown[] = [];
    setting.takes = ({ method }) => method === listen;
    const updating = changes
      .update({ toolsListChanged: true, resourceSubscriptions: ['a://b'] })
      .catch((error) => errors.push(error));
    await still();
    await changes.close();
    acknowledge(of(listen)[1] as Requested);
    await updating;
    expect(errors).toMatchObject([{ code: 'connection-closed' }]);
    await still();
    expect(cancelled.toSorted()).toEqual(of(listen).map(({ id }) => id));
    await client.close();
  });
});

describe.each(protocolVersions)('at %s a subscription', (revision) => {
  it('is done when the user closes the client', async () => {
    const { world } = setUp(revision);
    const client = world.client();
    const followed = follow(await client.subscribe({ toolsListChanged: true }));
    await client.close();
    await still();
    expect(followed.ended).toBe('done');
  });

  it('fails when the connection is lost and reconnect is off', async () => {
    const { world } = setUp(revision);
    const client = world.client({ reconnect: false });
    const followed = follow(await client.subscribe({ toolsListChanged: true }));
    world.wire()?.close(new Error('cut'));
    await still();
    expect(followed.ended).toMatchObject({ code: 'connection-closed' });
    await client.close();
  });
});

describe.each(sessions)('at %s a new connection', (revision) => {
  const uriOf = ({ params }: Requested): unknown => params.uri;

  it('that refuses one of the resources is subscribed to the others', async () => {
    const setting = setUp(revision);
    const warnings: Error[] = [];
    const client = setting.world.client({ onWarning: (error) => warnings.push(error) });
    const changes = await client.subscribe({ resourceSubscriptions: ['a://removed', 'a://here'] });
    const followed = follow(changes);
    const error = { code: -32002, message: 'Resource not found' };
    setting.takes = (one) => uriOf(one) === 'a://removed' && (one.wire.answer(one.id, { error }), true);
    await restart(setting.world);
    expect([followed.seen, changes.acknowledged]).toEqual([['a://here'], { resourceSubscriptions: ['a://here'] }]);
    setting.world.wire()?.write({ method: 'notifications/resources/updated', params: { uri: 'a://here' } });
    await still();
    expect([followed.seen, followed.ended]).toEqual([['a://here', 'a://here'], undefined]);
    expect(warnings).toMatchObject([{ code: 'request-failed', cause: { code: error.code } }]);
    // The next connection may have it again.
    setting.takes = () => false;
    await restart(setting.world);
    expect(changes.acknowledged).toEqual({ resourceSubscriptions: ['a://removed', 'a://here'] });
    await client.close();
  });

  it('that refuses the log level is subscribed to all the same', async () => {
    const setting = setUp(revision);
    const client = setting.world.client({ logLevel: 'error', onWarning: () => {} });
    const followed = follow(await client.subscribe({ resourceSubscriptions: ['a://b'] }));
    const error = { code: -32603, message: 'No levels today' };
    setting.takes = (one) => one.method === 'logging/setLevel' && (one.wire.answer(one.id, { error }), true);
    await restart(setting.world);
    expect(setting.of('resources/subscribe')).toHaveLength(2);
    expect(followed.seen).toEqual(['a://b']);
    await client.close();
  });

  it('that does not answer resources/subscribe serves calls after five seconds, and is retried', async () => {
    const setting = setUp(revision);
    const client = setting.world.client({ onWarning: () => {}, timeoutMs: 20_000 });
    const followed = follow(await client.subscribe({ resourceSubscriptions: ['a://b'] }));
    setting.takes = ({ method }) => method.startsWith('resources/');
    await restart(setting.world);
    let result: unknown;
    void client.tools.call('look').then((errors) => (result = errors));
    await pass(setting.world, 4999 - 1000);
    expect(result).toBeUndefined();
    await pass(setting.world, 1001);
    expect(result).toMatchObject({ content: [] });
    setting.takes = () => false;
    await pass(setting.world, 20_000);
    await pass(setting.world, 1000);
    expect(followed).toEqual({ seen: ['a://b'], ended: undefined });
    await client.close();
    expect(setting.world.clock.pending).toBe(0);
  });
});
