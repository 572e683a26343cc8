/** A stream that closes before its response arrived is resumed while its call is pending, with growing delays. */
import { type ConnectOptions, connect } from 'tenon';

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import {
  answer,
  event,
  type Json,
  type Received,
  refuse,
  type Script,
  scripted,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { versionsFrom } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const resumable = versionsFrom('2025-03-26', '2025-11-25');
const isGet = ({ method }: Received): boolean => method === 'GET';
const resumes = (one: Received): boolean => isGet(one) && one.headers['last-event-id'] !== undefined;

/** Has a session, and answers a call with a stream without its result. `script` handles the other requests. */
const unfinished =
  (script: Script, retry = ''): Script =>
  (received) => {
    const { message, response } = received;
    if (message.method === 'tools/call') return stream(response, `${retry}id: e1\ndata:\n\n`).end();
    if (message.method !== 'initialize') return script(received);
    const { protocolVersion } = message.params as Json;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    return answer(response, message.id, result, { 'mcp-session-id': 'one' });
  };

async function opened(url: string, options: ConnectOptions) {
  const clock = createFakeClock();
  const client = await connect(url, { reconnect: false, ...withClock(clock), ...options });
  onTestFinished(async () => {
    const closing = client.close({ timeoutMs: 1 });
    clock.advance(1);
    await closing;
  });
  return { client, clock };
}

/** Advances the clock step by step until the condition holds. */
const passing = (clock: FakeClock, holds: () => boolean, ms = 500): Promise<unknown> =>
  vi.waitUntil(
    () => {
      if (!holds()) clock.advance(ms);
      return holds();
    },
    { interval: 1 },
  );

const cut = ({ response }: Received): void => {
  stream(response, ': alive\n\n');
  setImmediate(() => response.destroy());
};

/** The ways in which an attempt to resume can fail. */
const failures: ReadonlyArray<readonly [string, (received: Received) => unknown]> = [
  ['completes again', ({ response }) => stream(response, ': nothing yet\n\n').end()],
  ['breaks again', cut],
  ['is refused with 503', ({ response }) => refuse(response, 503)],
  ['is not answered', ({ response }) => response.destroy()],
];

describe.each(resumable)('At %s a stream that', (revision) => {
  it.each(failures)('%s twenty times is still resumed while its call is pending [s-http-17]', async (_, fails) => {
    const server = await scripted(
      unfinished((received) => {
        if (!resumes(received)) return false;
        if (server.received.filter(resumes).length <= 20) return fails(received) ?? true;
        const { id } = server.posted('tools/call')[0]?.message ?? {};
        return stream(received.response, event({ id, result: textResult('late') }, 'e2')).end();
      }, 'retry: 20\n'),
    );
    const { client, clock } = await opened(server.url, { protocolVersions: [revision], timeoutMs: 10_000_000 });
    const call = client.tools.call('look');
    await passing(clock, () => server.received.filter(resumes).length === 21);
    expect(await withTimeout(call, 'the answer')).toMatchObject(textResult('late'));
    expect(server.posted('tools/call')).toHaveLength(1);
  });
});

describe('A stream that is being resumed', () => {
  const hasRequested = (received: readonly Received[], times: number) => (): boolean =>
    received.filter(resumes).length >= times;

  it('is requested with growing delays if it breaks, and with a constant delay if it completes after `retry`', async () => {
    const elapsed = async (fails: (received: Received) => unknown, step: number): Promise<number> => {
      const server = await scripted(unfinished((one) => resumes(one) && (fails(one) ?? true), 'retry: 200\n'));
      const { client, clock } = await opened(server.url, { protocolVersions: ['2025-11-25'], timeoutMs: 10_000_000 });
      client.tools.call('look').catch(() => {});
      await passing(clock, hasRequested(server.received, 15), step);
      return clock.now();
    };
    expect(await elapsed(({ response }) => stream(response).end(), 10)).toBeLessThan(20_000);
    expect(await elapsed(cut, 200)).toBeGreaterThan(20_000);
  });

  it('is abandoned when its call times out', async () => {
    const server = await scripted(unfinished((received) => resumes(received) && (cut(received) ?? true)));
    const { client, clock } = await opened(server.url, { protocolVersions: ['2025-11-25'], timeoutMs: 120_000 });
    const call = client.tools.call('look').catch(({ code }) => code);
    await passing(clock, hasRequested(server.received, 9));
    let settled: unknown;
    void call.then((code) => (settled = code));
    await passing(clock, () => settled !== undefined);
    expect(settled).toBe('timeout');
    await server.until(({ message }) => message.method === 'notifications/cancelled');
    await client.ping();
    const attempts = server.received.filter(resumes).length;
    clock.advance(120_000);
    await client.ping();
    expect(server.received.filter(resumes)).toHaveLength(attempts);
  });

  it('is not requested before the Retry-After of a refusal has passed', async () => {
    const server = await scripted(
      unfinished((one) => resumes(one) && (refuse(one.response, 503, undefined, { 'retry-after': '40' }) ?? true)),
    );
    const { client, clock } = await opened(server.url, { protocolVersions: ['2025-11-25'], timeoutMs: 10_000_000 });
    client.tools.call('look').catch(() => {});
    await passing(clock, hasRequested(server.received, 1));
    const first = clock.now();
    await passing(clock, hasRequested(server.received, 3));
    expect(clock.now() - first).toBeGreaterThanOrEqual(80_000);
  });
});

it('The GET stream is requested again while the session lasts, even if the server does not answer', async () => {
  const server = await scripted(
    unfinished((received) => {
      if (!isGet(received)) return false;
      if (server.received.filter(isGet).length === 1) return stream(received.response, ': here\n\n').end();
      return received.response.destroy();
    }),
  );
  const { client, clock } = await opened(server.url, { protocolVersions: ['2025-11-25'], timeoutMs: 10_000_000 });
  await passing(clock, () => server.received.filter(isGet).length >= 20, 5000);
  expect(client.connection.state).toBe('ready');
  await client.ping();
});
