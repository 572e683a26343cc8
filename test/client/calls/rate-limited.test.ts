/** Calls that a server refuses for a time: the client waits and sends them again, within their time limit. */
import { type Client, connect, createServer, type Middleware, rpcError, serveHttp, tool, toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

interface Refusal {
  readonly reason?: 'rate-limited' | 'overloaded';
  readonly data: object;
  readonly times?: number;
}

/** A server whose `pay` is refused at first. */
function refusing({ reason = 'rate-limited', data, times = 1 }: Refusal) {
  const arrivals: string[] = [];
  const refuse: Middleware = (call, next) => {
    if (call.method !== 'tools/call') return next();
    arrivals.push(call.target);
    if (arrivals.length <= times) throw rpcError(reason, 'Not now', data);
    return next();
  };
  const server = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      tools: {
        pay: tool({}, () => 'paid'),
        look: tool({ annotations: { readOnlyHint: true } }, () => 'seen'),
      },
    },
    { middleware: [refuse] },
  );
  return { server, arrivals };
}

async function opened(
  over: 'memory' | 'HTTP',
  revision: (typeof protocolVersions)[number],
  refusal: Refusal,
): Promise<{ client: Client; clock: FakeClock; arrivals: string[] }> {
  const { server, arrivals } = refusing(refusal);
  const clock = createFakeClock();
  const options = { protocolVersions: [revision], reconnect: false, timeoutMs: 60_000, ...withClock(clock) } as const;
  let client: Client;
  if (over === 'memory') client = await connect(server, options);
  else {
    const http = await serveHttp(server, { port: 0 });
    onTestFinished(() => http.close());
    client = await connect(http.url, options);
  }
  onTestFinished(() => client.close());
  return { client, clock, arrivals };
}

const notStarted = { outcome: 'not-started' };

/** Advances the clock until the server got the call so often. */
const untilArrived = (clock: FakeClock, arrivals: readonly string[], times: number): Promise<void> =>
  vi.waitFor(
    () => {
      if (arrivals.length < times) clock.advance(100);
      expect(arrivals).toHaveLength(times);
    },
    { interval: 1, timeout: 10_000 },
  );

const cases = (['memory', 'HTTP'] as const).flatMap((over) => protocolVersions.map((id) => [over, id] as const));

describe.each(cases)('Over %s at %s a call', (over, revision) => {
  it.each(['rate-limited', 'overloaded'] as const)(
    'that is refused with %s before it begins is sent again after retryAfterMs, though it changes something [S24]',
    async (reason) => {
      const refusal = { reason, data: { ...notStarted, retryAfterMs: 7000 } };
      const { client, clock, arrivals } = await opened(over, revision, refusal);
      const call = client.tools.call('pay');
      call.catch(() => {});
      await vi.waitFor(() => expect(arrivals).toHaveLength(1), 10_000);
      const begun = clock.now();
      await untilArrived(clock, arrivals, 2);
      expect(clock.now() - begun).toBeGreaterThanOrEqual(7000);
      expect(toText(await withTimeout(call, 'the answer'))).toBe('paid');
    },
  );

  it('fails with the typed error and retryAfterMs if the wait is longer than its time limit [S24]', async () => {
    const data = { ...notStarted, retryAfterMs: 61_000, limit: 'perPrincipal' };
    const { client, arrivals } = await opened(over, revision, { data, times: 9 });
    await expect(client.tools.call('pay')).rejects.toMatchObject({ reason: 'rate-limited', code: -31429, data });
    expect(arrivals).toHaveLength(1);
  });

  it('that may have begun is sent again only if it may be repeated', async () => {
    const refusal = { data: { retryAfterMs: 200 } };
    const first = await opened(over, revision, refusal);
    await expect(first.client.tools.call('pay')).rejects.toMatchObject({ reason: 'rate-limited' });
    const second = await opened(over, revision, refusal);
    const call = second.client.tools.call('pay', {}, { retryable: true });
    call.catch(() => {});
    await untilArrived(second.clock, second.arrivals, 2);
    expect(toText(await withTimeout(call, 'the answer'))).toBe('paid');
  });
});

describe('A call that is refused before it begins', () => {
  it('is not sent again if waiting does not help', async () => {
    const { client, arrivals } = await opened('HTTP', '2026-07-28', { data: { ...notStarted, cost: 900 } });
    await expect(client.tools.call('pay')).rejects.toMatchObject({ reason: 'rate-limited', data: { cost: 900 } });
    expect(arrivals).toHaveLength(1);
  });

  it('is sent again until its time limit, however often, with pauses that grow', async () => {
    const refusal = { data: { ...notStarted, retryAfterMs: 0 }, times: 1000 };
    const { client, clock, arrivals } = await opened('memory', '2026-07-28', refusal);
    const call = client.tools.call('pay').catch(({ reason }) => reason);
    // 100, 200, 400 … 3200, and then 5000, in all less than 60 seconds: sixteen pauses.
    await untilArrived(clock, arrivals, 17);
    expect(await withTimeout(call, 'the failure')).toBe('rate-limited');
    expect(arrivals).toHaveLength(17);
  });

  it('can be cancelled while it waits', async () => {
    const { client, arrivals } = await opened('memory', '2026-07-28', { data: { ...notStarted, retryAfterMs: 9000 } });
    const controller = new AbortController();
    const call = client.tools.call('pay', {}, { signal: controller.signal }).catch(({ code }) => code);
    await vi.waitFor(() => expect(arrivals).toHaveLength(1), 10_000);
    controller.abort();
    expect(await withTimeout(call, 'the call to reject')).toBe('cancelled');
    expect(arrivals).toHaveLength(1);
  });
});
