/** Calls that an unavailable server or gateway refuses or cuts off: sent again only if they may be, until their time limit. */
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

const timeoutMs = 60_000;

async function opened({ url }: Scripted, revision: (typeof protocolVersions)[number] = alone) {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const client = await connect(url, {
    protocolVersions: [revision],
    reconnect: false,
    timeoutMs,
    ...withDeadlines(deadlines),
  });
  onTestFinished(() => client.close());
  return { client, clock, deadlines };
}

/** A client whose pauses pass as soon as they begin, so that no other time does. */
async function withoutWaiting(server: Scripted, revision?: (typeof protocolVersions)[number]) {
  const { client, clock, deadlines } = await opened(server, revision);
  const pauses: number[] = [];
  const add = deadlines.add.bind(deadlines);
  deadlines.add = (ms, run, holds) => {
    if (ms !== timeoutMs) {
      pauses.push(ms);
      queueMicrotask(() => clock.advance(ms));
    }
    return add(ms, run, holds);
  };
  return { client, clock, pauses };
}

/** All pauses that fit into the time limit: 56.3 of 60 seconds. */
const allPauses = [100, 200, 400, 800, 1600, 3200, ...Array<number>(10).fill(5000)];

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

/** A server that ends the connections of the first calls, as a proxy does whose node has died. */
const closing = (times: number) => {
  let left = times;
  return scripted(
    ({ message, response }) => message.method === 'tools/call' && left-- > 0 && (response.destroy(), true),
  );
};

describe('A retryable call', () => {
  it('rejects at once if Retry-After is longer than its timeout', async () => {
    const server = await refusing(503, { 'retry-after': '61' });
    const { client } = await opened(server);
    await expect(client.tools.call('look', {}, { retryable: true })).rejects.toMatchObject({
      code: 'outcome-unknown',
      cause: { code: 'server-unavailable', details: { status: 503, retryAfterMs: 61_000 } },
    });
    expect(server.posted('tools/call')).toHaveLength(1);
  });

  it('waits no longer than its timeout in total', async () => {
    const server = await refusing(503, { 'retry-after': '25' }, { times: 9 });
    const { client, pauses } = await withoutWaiting(server);
    await expect(client.tools.call('look', {}, { retryable: true })).rejects.toMatchObject({
      code: 'outcome-unknown',
      cause: { code: 'server-unavailable' },
    });
    expect(pauses).toEqual([25_000, 25_000]);
    expect(server.posted('tools/call')).toHaveLength(3);
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

const promises = [{ retryable: true }, { idempotencyKey: 'k' }];
const failures: readonly (readonly [string, (times: number) => Promise<Scripted>, object])[] = [
  ...[500, 502, 503, 504].map(
    (status) =>
      [
        `${status} without Retry-After`,
        (times: number) => refusing(status, {}, { times }),
        { code: 'server-unavailable', details: { status } },
      ] as const,
  ),
  [
    '502 with a JSON-RPC error of the gateway',
    (times) => refusing(502, {}, { times, error: { code: -32603, message: 'bad gateway' } }),
    { code: 'server-unavailable', details: { status: 502 } },
  ],
  ['a connection that closes', closing, { code: 'connection-closed' }],
];

describe.each(promises)('A call with %j that gets', (options) => {
  it.each(failures)('%s is sent again with growing pauses until it is answered [S27]', async (_, failing) => {
    const server = await failing(12);
    const { client, pauses } = await withoutWaiting(server);
    expect(await client.tools.call('pay', {}, options)).toMatchObject(textResult('done'));
    expect(pauses).toEqual(allPauses.slice(0, 12));
    expect(server.posted('tools/call')).toHaveLength(13);
  });

  it.each(failures)('%s until its time limit ends as outcome-unknown [S27]', async (_, failing, cause) => {
    const server = await failing(1000);
    const { client, pauses } = await withoutWaiting(server);
    await expect(client.tools.call('pay', {}, options)).rejects.toMatchObject({
      code: 'outcome-unknown',
      details: { method: 'tools/call' },
      cause,
    });
    expect(pauses).toEqual(allPauses);
    expect(server.posted('tools/call')).toHaveLength(allPauses.length + 1);
  });
});

describe('A call that is sent again after a gateway may have lost it', () => {
  /** The first attempt gets 502, and the others what the script does. */
  const afterGateway = (script: (received: Parameters<Parameters<typeof scripted>[0] & object>[0]) => unknown) => {
    let sent = 0;
    return scripted((received) => {
      if (received.message.method !== 'tools/call') return false;
      return sent++ === 0 ? (refuse(received.response, 502) ?? true) : script(received);
    });
  };
  const options = { idempotencyKey: 'k' };

  it.each([
    ['an internal error', 500, { code: -32603, message: 'broken' }],
    ['a refusal that no pause helps with', 503, { code: -31503, message: 'closing', data: { outcome: 'not-started' } }],
    ['401', 401, undefined],
    ['403', 403, undefined],
    ['404', 404, undefined],
    ['405', 405, undefined],
    ['429', 429, undefined],
  ] as const)('ends as outcome-unknown if the next one gets %s', async (_, status, error) => {
    const server = await afterGateway(({ response }) => refuse(response, status, error) ?? true);
    const { client } = await withoutWaiting(server);
    await expect(client.tools.call('pay', {}, options)).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('The last attempt failed: '),
      cause: { code: 'server-unavailable', details: { status: 502 } },
    });
    expect(server.posted('tools/call')).toHaveLength(2);
  });

  it('ends as outcome-unknown if the connection is refused from then on', async () => {
    const server = await afterGateway(({ response }) => {
      server.stop();
      return response.destroy();
    });
    const { client } = await withoutWaiting(server);
    await expect(client.tools.call('pay', {}, options)).rejects.toMatchObject({ code: 'outcome-unknown' });
  });

  it('ends as outcome-unknown if no answer arrives in time', async () => {
    const server = await afterGateway(() => true);
    const { client, clock } = await withoutWaiting(server);
    const call = client.tools.call('pay', {}, options).catch((error) => error);
    await server.until(({ message }) => message.method === 'tools/call', 2);
    clock.advance(timeoutMs);
    expect(await withTimeout(call, 'the failure')).toMatchObject({
      code: 'outcome-unknown',
      cause: { details: { status: 502 } },
    });
  });

  const answering = (error: object) =>
    afterGateway(({ message, response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
    });

  it('ends as outcome-unknown if the server then fails, whatever the status is', async () => {
    const { client } = await withoutWaiting(await answering({ code: -32603, message: 'broken' }));
    await expect(client.tools.call('pay', {}, options)).rejects.toMatchObject({ code: 'outcome-unknown' });
  });

  it('ends with the error that its run gets', async () => {
    const error = { code: -32602, message: 'no such account' };
    const server = await answering(error);
    const { client } = await withoutWaiting(server);
    await expect(client.tools.call('pay', {}, options)).rejects.toMatchObject(error);
  });

  it('ends as cancelled if its caller cancels it', async () => {
    const server = await afterGateway(() => true);
    const { client } = await withoutWaiting(server);
    const controller = new AbortController();
    const call = client.tools.call('pay', {}, { ...options, signal: controller.signal }).catch(({ code }) => code);
    await server.until(({ message }) => message.method === 'tools/call', 2);
    controller.abort();
    expect(await withTimeout(call, 'the failure')).toBe('cancelled');
  });
});

it('a call that was never sent, since each connection was refused, does not end as outcome-unknown', async () => {
  const server = await scripted();
  const { client } = await withoutWaiting(server);
  server.stop();
  const failure = await client.tools.call('pay', {}, { idempotencyKey: 'k' }).catch((error) => error);
  expect(failure.code === 'connection-refused' ? failure : failure.cause).toMatchObject({ code: 'connection-refused' });
});
