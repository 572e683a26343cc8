/** Pings detect a server that no longer answers, if `pingIntervalMs` is set and the revision has pings. */
import { type ConnectOptions, connect, createServer, type ProtocolVersion, tool } from 'tenon';

import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { reconnectable } from '../../kit/client/reconnectable-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { answer, scripted } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;

/** A scripted server that answers pings while `serves.pings` is true. */
async function silentServer(revision: ProtocolVersion, options: ConnectOptions = {}) {
  const clock = createFakeClock();
  const serves = { pings: true };
  const closed = deferred<Error | undefined>();
  const { client, received, send } = scripted(
    (message, reply) => {
      const { method } = message;
      if (method === 'initialize') {
        const serverInfo = { name: 's', version: '1' };
        reply(answer(message, { protocolVersion: revision, capabilities: { tools: {} }, serverInfo }));
      } else if (method === 'ping' && serves.pings) reply(answer(message, {}));
    },
    {
      protocolVersions: [revision],
      ...withClock(clock),
      onClose: closed.resolve,
      timeouts: { pingIntervalMs: 1000 },
      ...options,
    },
  );
  const connected = await client;
  const pings = (): number => received.filter(({ method }) => method === 'ping').length;
  /** Waits until sent messages have arrived and are answered. */
  const settle = async (): Promise<void> => void (await new Promise((resolve) => setImmediate(resolve)));
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { client: connected, clock, serves, closed: closed.promise, pings, pass, send };
}

describe.each(sessions)('A ping at %s', (revision) => {
  it('is sent after pingIntervalMs without a message, and not before [s-ping-03, s-ping-04, s-ping-06]', async () => {
    const { client, pings, pass, send } = await silentServer(revision);
    await pass(999);
    expect(pings()).toBe(0);
    await pass(1);
    expect(pings()).toBe(1);
    await pass(600);
    send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'here' } });
    await pass(0);
    await pass(400);
    await pass(599);
    expect(pings()).toBe(1);
    await pass(1);
    expect(pings()).toBe(2);
    await client.close();
  });

  it('without an answer closes the connection as unresponsive [s-ping-02, s-ping-05, s-ping-07]', async () => {
    const { client, serves, closed, pass } = await silentServer(revision);
    serves.pings = false;
    const call = client.tools.call('a').catch((error) => error);
    await pass(1000);
    await pass(1000);
    expect(await closed).toMatchObject({ code: 'server-unresponsive', details: { pingIntervalMs: 1000 } });
    expect(await call).toMatchObject({ code: 'outcome-unknown', cause: { code: 'server-unresponsive' } });
    await client.close();
  });

  it('counts as answered by any message that arrives while it is pending', async () => {
    const { client, serves, pass, send, pings } = await silentServer(revision);
    serves.pings = false;
    await pass(1000);
    await pass(500);
    send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'busy' } });
    await pass(500);
    expect(client.connection.state).toBe('ready');
    serves.pings = true;
    await pass(1000);
    expect(pings()).toBe(2);
    await client.close();
  });

  it('leaves no timer behind when the client closes', async () => {
    const { client, clock } = await silentServer(revision);
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it('is not sent by default', async () => {
    const clock = createFakeClock();
    const server = createServer({ name: 's', version: '1', tools: { a: tool({}, () => 'a') } });
    await using client = await connect(server, { protocolVersions: [revision], ...withClock(clock) });
    clock.advance(1_000_000);
    expect(client.connection.state).toBe('ready');
  });

  it('without an answer makes a client that can reconnect do so', async () => {
    const clock = createFakeClock();
    let silent = false;
    const server = createServer({ name: 's', version: '1', tools: { a: tool({}, () => 'a') } });
    const ignoring = {
      accept: ((transport, options) =>
        server.accept(
          {
            get state() {
              return transport.state;
            },
            open: (listener) =>
              transport.open({ ...listener, onMessage: (text) => !silent && listener.onMessage(text) }),
            send: (text) => transport.send(text),
            close: (reason) => transport.close(reason),
          },
          options,
        )) as typeof server.accept,
    };
    const net = reconnectable(ignoring);
    const client = net.client({
      protocolVersions: [revision],
      ...withClock(clock),
      timeouts: { pingIntervalMs: 1000 },
    });
    await client.connection.ready();
    const lost = deferred<unknown>();
    client.connection.on('state', ({ to, error }) => to === 'backoff' && lost.resolve(error));
    silent = true;
    clock.advance(1000);
    clock.advance(1000);
    expect(await lost.promise).toMatchObject({ code: 'server-unresponsive' });
    silent = false;
    const call = client.tools.call('a');
    clock.advance(5000);
    expect((await call).content).toEqual([{ type: 'text', text: 'a' }]);
    expect(net.dials).toBe(2);
    await client.close();
  });
});

describe('With a revision without sessions', () => {
  it('no ping is sent', async () => {
    const clock = createFakeClock();
    const server = createServer({ name: 's', version: '1', tools: { a: tool({}, () => 'a') } });
    await using client = await connect(server, {
      protocolVersions: ['2026-07-28'],
      ...withClock(clock),
      timeouts: { pingIntervalMs: 1000 },
    });
    clock.advance(10_000);
    expect((await client.tools.call('a')).content).toEqual([{ type: 'text', text: 'a' }]);
  });
});
