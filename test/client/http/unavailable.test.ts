/** Calls that an unavailable server or gateway refuses: sent again only if they are retryable, after Retry-After. */
import { connect } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import { alone, type Json, refuse, type Scripted, scripted, textResult } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** A server that refuses the first calls. */
const refusing = (status: number, headers: Json = {}, { times = 1, error }: { times?: number; error?: Json } = {}) => {
  let left = times;
  return scripted(
    ({ message, response }) =>
      message.method === 'tools/call' && left-- > 0 && (refuse(response, status, error, headers) ?? true),
  );
};

async function opened({ url }: Scripted, revision: (typeof protocolVersions)[number] = alone) {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const client = await connect(url, {
    protocolVersions: [revision],
    reconnect: false,
    timeoutMs: 60_000,
    ...withDeadlines(deadlines),
  });
  onTestFinished(() => client.close());
  return { client, clock };
}

/** Advances the clock until the call was sent `times` times. */
async function untilSent(clock: FakeClock, server: Scripted, times: number): Promise<void> {
  const isSent = (): boolean => server.posted('tools/call').length >= times;
  await vi.waitUntil(
    () => {
      if (!isSent()) clock.advance(100);
      return isSent();
    },
    { interval: 1 },
  );
  expect(server.posted('tools/call')).toHaveLength(times);
}

describe.each(protocolVersions)('At %s a call', (revision) => {
  it.each([500, 501, 503])('that gets %i without a JSON-RPC error may have run', async (status) => {
    const server = await refusing(status);
    const { client } = await opened(server, revision);
    await expect(client.tools.call('pay')).rejects.toMatchObject({
      code: 'outcome-unknown',
      details: { method: 'tools/call' },
      cause: { code: 'server-unavailable', details: { status } },
    });
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('that gets 503 may have run even if Retry-After is set', async () => {
    const server = await refusing(503, { 'retry-after': '1' });
    const { client } = await opened(server, revision);
    await expect(client.tools.call('pay')).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it.each([
    [429, { headers: { 'retry-after': '1' } }],
    [500, { error: { code: -32603, message: 'broken' } }],
    [503, { error: { code: -31503, message: 'busy' } }],
  ])('that gets %i with %j did not run, and is not sent again by default', async (status, { headers, error }: Json) => {
    const server = await refusing(status, headers as Json, error === undefined ? {} : { error: error as Json });
    const { client } = await opened(server, revision);
    await expect(client.tools.call('pay')).rejects.toMatchObject({
      code: 'server-unavailable',
      details: { status, ...(error !== undefined && { error }) },
    });
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('that is retryable or has a key is sent again after Retry-After', async () => {
    for (const status of [429, 502, 503, 504]) {
      for (const options of [{ retryable: true }, { idempotencyKey: 'k' }]) {
        const server = await refusing(status, { 'retry-after': '7' });
        const { client, clock } = await opened(server, revision);
        const call = client.tools.call('pay', {}, options);
        call.catch(() => {});
        const { closed } = await server.until(({ message }) => message.method === 'tools/call');
        await withTimeout(closed, 'the refusal');
        const begun = clock.now();
        await untilSent(clock, server, 2);
        expect(clock.now() - begun).toBeGreaterThanOrEqual(7000);
        expect(await withTimeout(call, 'the answer')).toMatchObject(textResult('done'));
      }
    }
  });
});

describe('A retryable call', () => {
  it('rejects at once if Retry-After is longer than its timeout', async () => {
    const server = await refusing(503, { 'retry-after': '61' });
    const { client } = await opened(server);
    await expect(client.tools.call('look', {}, { retryable: true })).rejects.toMatchObject({
      code: 'server-unavailable',
      details: { status: 503, retryAfterMs: 61_000 },
    });
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('waits no longer than its timeout in total', async () => {
    const server = await refusing(503, { 'retry-after': '25' }, { times: 9 });
    const { client, clock } = await opened(server);
    const call = client.tools.call('look', {}, { retryable: true }).catch(({ code }) => code);
    await untilSent(clock, server, 3);
    expect(await withTimeout(call, 'the failure')).toBe('server-unavailable');
    expect(server.posted('tools/call')).toHaveLength(3);
  });

  it('is not sent again without Retry-After', async () => {
    for (const status of [500, 503]) {
      const server = await refusing(status);
      const { client } = await opened(server);
      const call = client.tools.call('look', {}, { retryable: true });
      await expect(call).rejects.toMatchObject({ code: 'server-unavailable', details: { status } });
      expect(server.posted('tools/call')).toHaveLength(1);
    }
  });

  it('can be cancelled while it waits to be sent again', async () => {
    const server = await refusing(503, { 'retry-after': '30' });
    const { client } = await opened(server);
    const controller = new AbortController();
    const call = client.tools
      .call('look', {}, { retryable: true, signal: controller.signal })
      .catch(({ code }) => code);
    await withTimeout((await server.until(({ message }) => message.method === 'tools/call')).closed, 'the refusal');
    controller.abort();
    expect(await withTimeout(call, 'the call to reject')).toBe('cancelled');
    expect(server.posted('tools/call')).toHaveLength(1);
  });
});
