/** An unreachable server is retried with backoff, and waiting calls get the reason. */
import { type ConnectionStateChange, type ConnectOptions, type ProtocolVersion, TenonError, toText } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/client/manual-transport.ts';
import { type ManualTransport } from '../../kit/client/manual-transport.ts';
import {
  requestedMs,
  type SimulatedServer,
  type SimulatedServerOptions,
  simulateServer,
  still,
} from '../../kit/client/simulated-server.ts';

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error) => error,
  );

/** Answers every call at once. */
const answering =
  (revision: ProtocolVersion) =>
  (wire: ManualTransport, { id, method }: Json): void => {
    if (method !== 'tools/call') return;
    const complete = revision === '2026-07-28' && { resultType: 'complete' };
    queueMicrotask(() =>
      wire.answer(id as number, { result: { content: [{ type: 'text', text: 'done' }], ...complete } }),
    );
  };

const reached = (revision: ProtocolVersion, more: Partial<SimulatedServerOptions> = {}): SimulatedServer =>
  simulateServer({ revision, received: answering(revision), ...more });

/** Advances the clock to the next attempt. */
async function attempt({ clock }: SimulatedServer, ms = 30_000): Promise<void> {
  clock.advance(ms);
  await still();
}

describe.each(protocolVersions)('At %s', (revision) => {
  it('five failures in a row open the circuit, and the first success closes it [S27]', async () => {
    const world = reached(revision);
    world.mode = 'refusing';
    const client = world.client();
    const waiting = failure(client.tools.call('a', {}, { timeoutMs: 600_000 }));
    await still();
    for (let failures = 1; failures < 5; failures++) await attempt(world);
    expect(await waiting).toMatchObject({
      code: 'circuit-open',
      details: { failures: 5 },
      cause: { code: 'connection-refused' },
    });
    expect(await failure(client.tools.call('a'))).toMatchObject({ code: 'circuit-open' });
    world.mode = 'up';
    await attempt(world);
    expect(client.connection.state).toBe('ready');
    expect(toText(await client.tools.call('a'))).toBe('done');
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('repeated disconnects do not open the circuit while calls are answered in between, but delays grow [S27]', async () => {
    const world = reached(revision);
    const client = world.client({}, { random: () => 1 });
    const waits: number[] = [];
    client.connection.on('state', ({ retryDelayMs: waitMs }) => void (waitMs !== undefined && waits.push(waitMs)));
    for (let times = 0; times < 8; times++) {
      const call = client.tools.call('a', {}, { timeoutMs: 600_000 });
      if (times > 0) await attempt(world, waits.at(-1));
      expect(toText(await call)).toBe('done');
      world.wire()?.close(new Error('cut'));
      await still();
    }
    expect(waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
    await client.close();
  });

  it('repeated disconnects without an answered call open the circuit with an error that says so [S27]', async () => {
    const world = reached(revision, { received: (wire, { method }) => method === 'tools/call' && wire.close() });
    const client = world.client();
    for (let times = 0; times < 5; times++) {
      const call = failure(client.tools.call('a', {}, { timeoutMs: 600_000 }));
      if (times > 0) await attempt(world);
      expect(await call).toMatchObject({ code: 'outcome-unknown' });
      await still();
    }
    expect(await failure(client.tools.call('a'))).toMatchObject({
      code: 'circuit-open',
      message: expect.stringContaining('The connection failed 5 times in a row'),
    });
    await client.close();
  });

  it('a retryable call that was sent waits for its whole time, though the circuit is open [S27]', async () => {
    let sent = 0;
    const world = reached(revision, {
      received(wire, message) {
        if (message.method !== 'tools/call') return;
        sent++;
        // The connection breaks when both have been sent.
        if (sent === 2) wire.close();
        if (sent > 2) answering(revision)(wire, message);
      },
    });
    const client = world.client();
    const [answered, unanswered] = [600_000, 200_000].map((timeoutMs) =>
      failure(client.tools.call('a', {}, { retryable: true, timeoutMs })),
    );
    await still();
    world.mode = 'refusing';
    for (let failures = 1; failures < 10; failures++) await attempt(world);
    expect(await failure(client.tools.call('a'))).toMatchObject({ code: 'circuit-open' });
    expect(await unanswered).toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('The last attempt failed: tools/call "a" was not sent'),
    });
    world.mode = 'up';
    await attempt(world);
    expect(await answered).toBe('done');
    await client.close();
    expect(world.clock.pending).toBe(0);
  });

  it('calls wait during fewer failures than that, and are sent once', async () => {
    const world = reached(revision);
    world.mode = 'refusing';
    const client = world.client();
    const waiting = client.tools.call('a', {}, { timeoutMs: 600_000 });
    await still();
    await attempt(world);
    world.mode = 'up';
    await attempt(world);
    expect(toText(await waiting)).toBe('done');
    await client.close();
  });

  it('an error that a retry does not fix rejects calls at once, and attempts continue within their limit', async () => {
    const world = reached(revision);
    world.mode = 'unauthorized';
    const client = world.client();
    const calls = Array.from({ length: 50 }, () => failure(client.tools.call('a')));
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'unauthorized' });
    expect(world.dialled).toHaveLength(1);
    for (let n = 0; n < 200; n++) await attempt(world, 1000);
    expect(world.dialled.length).toBeLessThan(20);
    expect(await failure(client.tools.call('a'))).toMatchObject({ code: 'unauthorized' });
    world.mode = 'up';
    await attempt(world);
    expect(toText(await client.tools.call('a'))).toBe('done');
    await client.close();
  });

  it('no attempt is made before Retry-After has passed', async () => {
    const world = reached(revision);
    world.mode = 'busy';
    const client = world.client();
    const received: ConnectionStateChange[] = [];
    client.connection.on('state', (change) => received.push(change));
    const waiting = client.tools.call('a', {}, { timeoutMs: 600_000 });
    await still();
    world.mode = 'up';
    await attempt(world, requestedMs - 1);
    expect(world.dialled).toHaveLength(1);
    await attempt(world, 1000);
    expect(world.dialled).toHaveLength(2);
    expect(toText(await waiting)).toBe('done');
    expect(received.find(({ to }) => to === 'backoff')?.retryDelayMs).toBeGreaterThanOrEqual(requestedMs);
    await client.close();
  });

  it('close() rejects new calls, waits for pending calls, and then closes [S27]', async () => {
    const pending: Array<[ManualTransport, Json]> = [];
    const world = reached(revision, {
      received: (wire, message) => message.method === 'tools/call' && pending.push([wire, message]),
    });
    const client = world.client();
    const call = client.tools.call('a');
    await still();
    const closing = client.close();
    expect(client.connection.state).toBe('draining');
    expect(await failure(client.tools.call('b'))).toMatchObject({ code: 'connection-closed' });
    expect(await failure(client.subscribe({ toolsListChanged: true }))).toMatchObject({ code: 'connection-closed' });
    expect(pending).toHaveLength(1);
    for (const [wire, message] of pending) answering(revision)(wire, message);
    expect(toText(await call)).toBe('done');
    await closing;
    expect(client.connection.state).toBe('closed');
    expect(world.clock.pending).toBe(0);
  });

  it('close() waits no longer than its timeout [S27]', async () => {
    const world = reached(revision, { received: () => {} });
    const client = world.client();
    const call = failure(client.tools.call('a'));
    await still();
    const closing = client.close({ timeoutMs: 2000 });
    world.clock.advance(1999);
    await still();
    expect(client.connection.state).toBe('draining');
    world.clock.advance(1);
    await closing;
    expect(await call).toMatchObject({ code: 'connection-closed' });
    expect(world.clock.pending).toBe(0);
  });

  it('a call without an answer times out, and the connection stays usable', async () => {
    const world = reached(revision, {
      received: (wire, message) =>
        (message.params as Json | undefined)?.name !== 'mute' && answering(revision)(wire, message),
    });
    const client = world.client({ timeoutMs: 1000 });
    const call = failure(client.tools.call('mute'));
    await still();
    world.clock.advance(1000);
    expect(await call).toMatchObject({ code: 'timeout', message: 'tools/call "mute" had no answer within 1000 ms.' });
    expect(toText(await client.tools.call('a'))).toBe('done');
    expect(world.dialled).toHaveLength(1);
    await client.close();
  });
});

describe('A client that accepts one revision', () => {
  const options: ConnectOptions = { protocolVersions: ['2025-06-18'] };

  it('goes to backoff when the server answers another, and rejects waiting calls with an error that names both [S03]', async () => {
    const world = reached('2024-11-05');
    const client = world.client(options);
    const received: ConnectionStateChange[] = [];
    client.connection.on('state', (change) => received.push(change));
    const calls = [failure(client.tools.call('a')), failure(client.tools.call('b'))];
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({
        code: 'protocol-version-mismatch',
        details: { accepted: ['2025-06-18'], offered: ['2024-11-05'] },
      });
      expect((error as Error).message).toMatch(/2025-06-18.*2024-11-05/);
    }
    expect(client.connection.state).toBe('backoff');
    expect(received.map(({ to }) => to)).toEqual(['connecting', 'backoff']);
    expect(received[1]?.error).toMatchObject({ code: 'protocol-version-mismatch' });
    expect(world.wire()).toBeUndefined();
    await client.close();
    expect(world.clock.pending).toBe(0);
  });
});

it('Listeners get state changes in order, even if one of them closes the client', async () => {
  const world = reached('2025-11-25');
  const client = world.client();
  const received: string[] = [];
  client.connection.on('state', ({ to }) => void (to === 'backoff' && client.close()));
  client.connection.on('state', ({ from, to }) => received.push(`${from} ${to}`));
  await client.connection.ready();
  world.wire()?.close();
  await still();
  expect(received).toEqual(['idle connecting', 'connecting ready', 'ready backoff', 'backoff closed']);
});

it('A client closed while it connects closes that connection before close() resolves', async () => {
  const world = reached('2025-11-25');
  world.mode = 'slow';
  const client = world.client();
  const ready = failure(client.connection.ready());
  await still();
  await client.close();
  expect(await ready).toMatchObject({ code: 'connection-closed' });
  expect(world.wires.map(({ state, unanswered }) => [state, unanswered.size])).toEqual([['closed', 0]]);
  expect(world.clock.pending).toBe(0);
});

const unsentRounds: ReadonlyArray<readonly [string, (wire: ManualTransport, id: number) => void]> = [
  // As over HTTP while the server restarts.
  ['refused', (wire, id) => queueMicrotask(() => wire.fail(id, new TenonError('connection-refused', 'Refused.')))],
  [
    'not taken by a transport that has just closed',
    (wire) => {
      wire.close();
      throw new TenonError('connection-closed', 'The connection is closed.');
    },
  ],
];

it.each(unsentRounds)(
  'A call with an elicitation whose next round is %s does not start over, and names the request that arrived',
  async (_, refuse) => {
    const sent: Json[] = [];
    const elicitation = {
      method: 'elicitation/create',
      params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
    };
    const world = reached('2026-07-28', {
      received(wire, message) {
        sent.push(message);
        const inputRequired = { resultType: 'input_required', requestState: 's', inputRequests: { q: elicitation } };
        queueMicrotask(() => wire.answer(message.id as number, { result: inputRequired }));
      },
    });
    const refuseNext = (): void => {
      const wire = world.wire() as ManualTransport;
      wire.send = (frame) => refuse(wire, (JSON.parse(frame) as { id: number }).id);
    };
    const client = world.client({ handlers: { elicitForm: () => (refuseNext(), { action: 'decline' }) } });
    const error = await failure(client.tools.call('a'));
    expect(sent).toHaveLength(1);
    expect(error).toMatchObject({ code: 'outcome-unknown', details: { requestId: sent[0]?.id } });
    await client.close();
  },
);
