/** A connect that its caller cancels. */

import { connect, createClient } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';

it('A cancelled connect rejects at once and closes its transport', async () => {
  const [here, there] = createMemoryTransports();
  const received: string[] = [];
  const left = new Promise<void>((resolve) => {
    there.open({ onMessage: (text) => received.push(text), onClose: () => resolve() });
  });
  const controller = new AbortController();
  const failed = connect(here, { signal: controller.signal }).catch((error) => error.code);
  await Promise.resolve();
  controller.abort(new Error('no longer wanted'));
  expect(await failed).toBe('cancelled');
  await left;
});

it('A connect with an aborted signal sends nothing', async () => {
  const [here, there] = createMemoryTransports();
  const received: string[] = [];
  there.open({ onMessage: (text) => received.push(text), onClose: () => {} });
  await expect(connect(here, { signal: AbortSignal.abort('late') })).rejects.toMatchObject({ code: 'cancelled' });
  expect(received).toEqual([]);
});

describe('The signal of a client that connects on first use', () => {
  const codeOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'done',
      ({ code }) => code,
    );

  it.each(['slow', 'mute', 'refusing'] as const)(
    'closes the client before it is connected, with a server that is %s',
    async (mode) => {
      const world = simulateServer({ revision: '2025-11-25' });
      world.mode = mode;
      const controller = new AbortController();
      const closeReasons: unknown[] = [];
      const client = world.client({ signal: controller.signal, onClose: (reason) => closeReasons.push(reason) });
      const waiting = [client.tools.call('a'), client.connection.ready(), client.tools.list().all()].map(codeOf);
      await still();
      controller.abort('no longer wanted');
      expect(client.connection.state).toBe('closed');
      expect(await Promise.all(waiting)).toEqual([
        'connection-closed',
        mode === 'refusing' ? 'connection-refused' : 'cancelled',
        'connection-closed',
      ]);
      expect(closeReasons).toMatchObject([{ code: 'cancelled', cause: 'no longer wanted' }]);
      expect(await codeOf(client.tools.call('a'))).toBe('connection-closed');
      await client.close();
      expect(world.wires.filter(({ state }) => state === 'open')).toEqual([]);
      expect(world.clock.pending).toBe(0);
      expect(world.dialled).toHaveLength(1);
    },
  );

  it('that is already aborted prevents connecting', async () => {
    const [here, there] = createMemoryTransports();
    const received: string[] = [];
    there.open({ onMessage: (text) => received.push(text), onClose: () => {} });
    const client = createClient(here, { signal: AbortSignal.abort('late') });
    expect(client.connection.state).toBe('closed');
    expect(await codeOf(client.tools.call('a'))).toBe('connection-closed');
    await client.close();
    expect(received).toEqual([]);
  });

  it('has no effect once the client is connected', async () => {
    const world = simulateServer({ revision: '2025-11-25' });
    const controller = new AbortController();
    const client = world.client({ signal: controller.signal });
    await client.connection.ready();
    controller.abort();
    expect(client.connection.state).toBe('ready');
    world.wire()?.close(new Error('cut'));
    await still();
    world.clock.advance(1000);
    await client.connection.ready();
    await client.close();
  });
});
