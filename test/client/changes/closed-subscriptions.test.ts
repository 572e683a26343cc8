/** A subscription that the client closes is closed, whatever the server answers. */
import type { ConnectOptions, ProtocolVersion } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { answeringServer, type Requested, subscribe, unsubscribe } from '../../kit/client/answering-server.ts';
import { still } from '../../kit/client/simulated-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;

async function subscribed(revision: ProtocolVersion, options: ConnectOptions = {}) {
  const setting = answeringServer(revision);
  const warnings: Error[] = [];
  const client = setting.world.client({ onWarning: (error) => warnings.push(error), ...options });
  const changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] });
  return { ...setting, setting, warnings, client, changes };
}

describe.each(protocolVersions)('At %s a subscription', (revision) => {
  it('can be closed while the connection is down, without a warning', async () => {
    const { world, changes, client, warnings } = await subscribed(revision);
    world.wire()?.close(new Error('cut'));
    await still();
    expect(client.connection.state).toBe('backoff');
    await changes.close();
    expect(warnings).toEqual([]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('can be closed by leaving its loop while the connection is down', async () => {
    const { world, changes, client } = await subscribed(revision);
    world.wire()?.write({ method: 'notifications/tools/list_changed' });
    world.wire()?.close(new Error('cut'));
    await still();
    world.mode = 'refusing';
    const { return: leave } = changes[Symbol.asyncIterator]();
    expect(await leave?.()).toEqual({ done: true, value: undefined });
    await client.close();
  });

  it('can be closed while the client closes, without a warning', async () => {
    const { setting, changes, client, warnings } = await subscribed(revision);
    setting.takes = () => true;
    const closing = changes.close();
    await client.close();
    await closing;
    expect(warnings).toEqual([]);
  });
});

describe.each(sessions)('At %s an unsubscribe', (revision) => {
  it('without an answer does not delay close, and its timeout is a warning', async () => {
    const { setting, changes, client, warnings, of, pass } = await subscribed(revision, { timeoutMs: 20_000 });
    setting.takes = ({ method }) => method === unsubscribe;
    const closing = changes.close();
    await pass(1000);
    await closing;
    expect([of(unsubscribe).length, warnings]).toEqual([1, []]);
    await pass(20_000);
    expect(warnings).toMatchObject([{ code: 'timeout' }]);
    await client.close();
  });

  it('that is answered later than the timeout of the subscribe causes no warning', async () => {
    const { setting, client, warnings, of, pass } = await subscribed(revision);
    const changes = await client.subscribe({ resourceSubscriptions: ['a://d'] }, { timeoutMs: 10 });
    setting.takes = ({ method }) => method === unsubscribe;
    const closing = changes.close();
    await pass(1000);
    await closing;
    const [{ wire, id }] = of(unsubscribe) as [Requested];
    wire.answer(id, { result: {} });
    await pass(60_000);
    expect(warnings).toEqual([]);
    await client.close();
  });

  it('is answered before the same resource is subscribed to again: over HTTP it could take effect later', async () => {
    const { setting, changes, client, of, pass } = await subscribed(revision);
    setting.takes = ({ method }) => method === unsubscribe;
    const closing = changes.close();
    await pass(1000);
    await closing;
    const again = client.subscribe({ resourceSubscriptions: ['a://b'] });
    await still();
    expect(of(subscribe)).toHaveLength(1);
    const [{ wire, id }] = of(unsubscribe) as [Requested];
    wire.answer(id, { result: {} });
    await again;
    expect(of(subscribe)).toHaveLength(2);
    await client.close();
  });

  it('that the server rejects causes a warning, and the subscription is closed', async () => {
    const { setting, changes, client, warnings } = await subscribed(revision);
    const error = { code: -32603, message: 'Not today' };
    setting.takes = ({ method, wire, id }: Requested) => method === unsubscribe && (wire.answer(id, { error }), true);
    await changes.close();
    expect(warnings).toMatchObject([{ code: 'request-failed', cause: { code: error.code } }]);
    await client.close();
  });

  it('of an old URI that the server rejects does not undo the update of the subscription', async () => {
    const { setting, changes, client, warnings } = await subscribed(revision);
    const error = { code: -32603, message: 'Not today' };
    setting.takes = ({ method, wire, id }: Requested) => method === unsubscribe && (wire.answer(id, { error }), true);
    await changes.update({ resourceSubscriptions: ['a://c'] });
    expect(changes.acknowledged).toEqual({ resourceSubscriptions: ['a://c'] });
    expect(warnings).toMatchObject([{ code: 'request-failed', cause: { code: error.code } }]);
    await client.close();
  });
});
