/** Right after the handshake requests are held back until the server can speak: one given up by then never leaves. */

import { connect, protocolVersions } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import { alone, type Json, type Received, scripted, stream } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const nameOf = ({ message }: Received): unknown => (message.params as Json | undefined)?.name;

/** A server that lets the client wait for the stream of what is said unasked, and the call of `hang` for ever. */
async function slowToListen(revision: (typeof protocolVersions)[number]) {
  const clock = createFakeClock();
  const server = await scripted((one) => (one.method === 'GET' || nameOf(one) === 'hang' ? undefined : false));
  const client = await connect(server.url, {
    protocolVersions: [revision],
    reconnect: false,
    ...withClock(clock),
  });
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  const { response } = await server.until(({ method }) => method === 'GET');
  const call = (name: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}): Promise<string> =>
    withTimeout(
      client.tools.call(name, {}, options).then(
        () => 'done',
        ({ code }) => code,
      ),
      'the end of the call',
    );
  const called = (): unknown[] => server.posted('tools/call').map(nameOf);
  /** What was sent before has had its time to come. */
  const settled = (): Promise<unknown> => withTimeout(client.ping(), 'the ping');
  return { server, clock, call, called, settled, listen: () => stream(response) };
}

describe.each(protocolVersions.filter((id) => id !== alone))('A call at %s that is held back', (revision) => {
  it('and cancelled is never sent, nor is its cancellation, and the others go', async () => {
    const { server, call, called, settled, listen } = await slowToListen(revision);
    const giveUp = new AbortController();
    const first = call('first');
    const cancelled = call('cancelled', { signal: giveUp.signal });
    const last = call('last');
    giveUp.abort();
    expect(await cancelled).toBe('cancelled');
    listen();
    expect([await first, await last]).toEqual(['done', 'done']);
    await settled();
    expect(called().sort()).toEqual(['first', 'last']);
    expect(server.posted('notifications/cancelled')).toEqual([]);
  });

  it('and out of time is never sent, nor is its cancellation', async () => {
    const { server, call, called, settled, listen, clock } = await slowToListen(revision);
    const late = call('late', { timeoutMs: 100 });
    clock.advance(101);
    expect(await late).toBe('timeout');
    listen();
    expect(await call('next')).toBe('done');
    await settled();
    expect(called()).toEqual(['next']);
    expect(server.posted('notifications/cancelled')).toEqual([]);
  });

  it('no longer, as the stream is there, is cancelled by a message', async () => {
    const { server, call, listen } = await slowToListen(revision);
    const giveUp = new AbortController();
    const calling = call('hang', { signal: giveUp.signal });
    listen();
    const { message } = await server.until((one) => nameOf(one) === 'hang');
    giveUp.abort();
    expect(await calling).toBe('cancelled');
    const notified = await server.until((one) => one.message.method === 'notifications/cancelled');
    expect(notified.message.params).toMatchObject({ requestId: message.id });
  });
});
