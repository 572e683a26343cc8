/** Connecting that its caller gives up. */

import { connect, createClient } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';

it('ends at once, with everything that was begun for it', async () => {
  const [here, there] = createMemoryTransports();
  const received: string[] = [];
  const left = new Promise<void>((resolve) => {
    there.open({ onMessage: (text) => received.push(text), onClose: () => resolve() });
  });
  const giving = new AbortController();
  const failed = connect(here, { signal: giving.signal }).catch((error) => error.code);
  await Promise.resolve();
  giving.abort(new Error('no longer wanted'));
  expect(await failed).toBe('cancelled');
  await left;
});

it('is not begun where it was given up before', async () => {
  const [here, there] = createMemoryTransports();
  const received: string[] = [];
  there.open({ onMessage: (text) => received.push(text), onClose: () => {} });
  await expect(connect(here, { signal: AbortSignal.abort('late') })).rejects.toMatchObject({ code: 'cancelled' });
  expect(received).toEqual([]);
});

describe('The signal of a client that connects when it is used', () => {
  const codeOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'done',
      ({ code }) => code,
    );

  it.each(['slow', 'mute', 'refusing'] as const)(
    'ends it before it was connected, to a server that is %s',
    async (mode) => {
      const world = simulateServer({ revision: '2025-11-25' });
      world.mode = mode;
      const giving = new AbortController();
      const ends: unknown[] = [];
      const client = world.client({ signal: giving.signal, onClose: (reason) => ends.push(reason) });
      const waiting = [client.tools.call('a'), client.connection.ready(), client.tools.list().all()].map(codeOf);
      await still();
      giving.abort('no longer wanted');
      expect(client.connection.state).toBe('closed');
      expect(await Promise.all(waiting)).toEqual([
        'connection-closed',
        mode === 'refusing' ? 'connection-refused' : 'cancelled',
        'connection-closed',
      ]);
      expect(ends).toMatchObject([{ code: 'cancelled', cause: 'no longer wanted' }]);
      expect(await codeOf(client.tools.call('a'))).toBe('connection-closed');
      await client.close();
      expect(world.wires.filter(({ state }) => state === 'open')).toEqual([]);
      expect(world.clock.pending).toBe(0);
      expect(world.dialled).toHaveLength(1);
    },
  );

  it('that is aborted already lets nothing begin', async () => {
    const [here, there] = createMemoryTransports();
    const received: string[] = [];
    there.open({ onMessage: (text) => received.push(text), onClose: () => {} });
    const client = createClient(here, { signal: AbortSignal.abort('late') });
    expect(client.connection.state).toBe('closed');
    expect(await codeOf(client.tools.call('a'))).toBe('connection-closed');
    await client.close();
    expect(received).toEqual([]);
  });

  it('means nothing once it was connected', async () => {
    const world = simulateServer({ revision: '2025-11-25' });
    const giving = new AbortController();
    const client = world.client({ signal: giving.signal });
    await client.connection.ready();
    giving.abort();
    expect(client.connection.state).toBe('ready');
    world.wire()?.close(new Error('cut'));
    await still();
    world.clock.advance(1000);
    await client.connection.ready();
    await client.close();
  });
});
