/** After the handshake, requests are queued until the GET stream is open: one cancelled by then is never sent. */
import { connect } from 'tenon';

import type { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { type Json, type Received, scripted, stream } from '../../kit/http/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const nameOf = ({ message }: Received): unknown => (message.params as Json | undefined)?.name;

/** A server that does not answer the GET request until `listen` is called, and never answers a call of `hang`. */
async function slowGetStream(revision: (typeof protocolVersions)[number]) {
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
      'the outcome of the call',
    );
  const called = (): unknown[] => server.posted('tools/call').map(nameOf);
  /** Resolves when everything sent before has arrived. */
  const settled = (): Promise<unknown> => withTimeout(client.ping(), 'the ping');
  return { server, clock, call, called, settled, listen: () => stream(response) };
}

describe.each(sessionVersions)('A queued call at %s', (revision) => {
  it('that is cancelled is never sent, nor is its cancellation, and the others are sent', async () => {
    const { server, call, called, settled, listen } = await slowGetStream(revision);
    const controller = new AbortController();
    const first = call('first');
    const cancelled = call('cancelled', { signal: controller.signal });
    const last = call('last');
    controller.abort();
    expect(await cancelled).toBe('cancelled');
    listen();
    expect([await first, await last]).toEqual(['done', 'done']);
    await settled();
    expect(called().sort()).toEqual(['first', 'last']);
    expect(server.posted('notifications/cancelled')).toEqual([]);
  });

  it('that times out is never sent, nor is its cancellation', async () => {
    const { server, call, called, settled, listen, clock } = await slowGetStream(revision);
    const late = call('late', { timeoutMs: 100 });
    clock.advance(101);
    expect(await late).toBe('timeout');
    listen();
    expect(await call('next')).toBe('done');
    await settled();
    expect(called()).toEqual(['next']);
    expect(server.posted('notifications/cancelled')).toEqual([]);
  });

  it('that was sent, as the stream is open, is cancelled by a notification', async () => {
    const { server, call, listen } = await slowGetStream(revision);
    const controller = new AbortController();
    const calling = call('hang', { signal: controller.signal });
    listen();
    const { message } = await server.until((one) => nameOf(one) === 'hang');
    controller.abort();
    expect(await calling).toBe('cancelled');
    const cancellation = await server.until((one) => one.message.method === 'notifications/cancelled');
    expect(cancellation.message.params).toMatchObject({ requestId: message.id });
  });
});
