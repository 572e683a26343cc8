/** Whoever ends a stream of changes has ended it, whatever the server makes of that. */

import { type ConnectOptions, type ProtocolVersion, protocolVersions } from 'tenon';
import { describe, expect, it } from 'vitest';
import { answeringServer, type Requested, unsubscribe } from '../../kit/client/answering-server.ts';
import { still } from '../../kit/client/simulated-server.ts';

const sessions = protocolVersions.filter((id) => id !== '2026-07-28');

async function streaming(revision: ProtocolVersion, options: ConnectOptions = {}) {
  const setting = answeringServer(revision);
  const faults: Error[] = [];
  const client = setting.world.client({ onWarning: (error) => faults.push(error), ...options });
  const changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] });
  return { ...setting, setting, faults, client, changes };
}

describe.each(protocolVersions)('At %s a stream of changes', (revision) => {
  it('can be closed while the connection is down, and nobody hears of a failure', async () => {
    const { world, changes, client, faults } = await streaming(revision);
    world.wire()?.close(new Error('cut'));
    await still();
    expect(client.connection.state).toBe('backoff');
    await changes.close();
    expect(faults).toEqual([]);
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('can be left by its loop while the connection is down', async () => {
    const { world, changes, client } = await streaming(revision);
    world.wire()?.write({ method: 'notifications/tools/list_changed' });
    world.wire()?.close(new Error('cut'));
    await still();
    world.mode = 'refusing';
    const { return: leave } = changes[Symbol.asyncIterator]();
    expect(await leave?.()).toEqual({ done: true, value: undefined });
    await client.close();
  });

  it('can be closed while the client closes, and nobody hears of a failure', async () => {
    const { setting, changes, client, faults } = await streaming(revision);
    setting.takes = () => true;
    const closing = changes.close();
    await client.close();
    await closing;
    expect(faults).toEqual([]);
  });
});

describe.each(sessions)('At %s a server that', (revision) => {
  it('is silent holds nobody up who ends a stream, and its silence is told', async () => {
    const { setting, changes, client, faults, of, pass } = await streaming(revision, { timeoutMs: 20_000 });
    setting.takes = ({ method }) => method === unsubscribe;
    const closing = changes.close();
    await pass(1000);
    await closing;
    expect([of(unsubscribe).length, faults]).toEqual([1, []]);
    await pass(20_000);
    expect(faults).toMatchObject([{ code: 'timeout' }]);
    await client.close();
  });

  it('takes longer to let go of a stream than it had to open it is not told of', async () => {
    const { setting, client, faults, of, pass } = await streaming(revision);
    const changes = await client.subscribe({ resourceSubscriptions: ['a://d'] }, { timeoutMs: 10 });
    setting.takes = ({ method }) => method === unsubscribe;
    const closing = changes.close();
    await pass(1000);
    await closing;
    const [{ wire, id }] = of(unsubscribe) as [Requested];
    wire.answer(id, { result: {} });
    await pass(60_000);
    expect(faults).toEqual([]);
    await client.close();
  });

  it('refuses to let go of a stream is told of, and the stream is ended', async () => {
    const { setting, changes, client, faults } = await streaming(revision);
    const error = { code: -32603, message: 'Not today' };
    setting.takes = ({ method, wire, id }: Requested) => method === unsubscribe && (wire.answer(id, { error }), true);
    await changes.close();
    expect(faults).toMatchObject([{ code: error.code }]);
    await client.close();
  });

  it('refuses to let go of what was watched before does not undo a change of the stream', async () => {
    const { setting, changes, client, faults } = await streaming(revision);
    const error = { code: -32603, message: 'Not today' };
    setting.takes = ({ method, wire, id }: Requested) => method === unsubscribe && (wire.answer(id, { error }), true);
    await changes.update({ resourceSubscriptions: ['a://c'] });
    expect(changes.acknowledged).toEqual({ resourceSubscriptions: ['a://c'] });
    expect(faults).toMatchObject([{ code: error.code }]);
    await client.close();
  });
});
