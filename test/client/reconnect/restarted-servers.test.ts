/** HTTP servers that restart, do not answer or refuse: each call runs at most once, and its caller gets the reason. */

import { createServer } from 'node:net';
import { type ConnectionStateChange, createClient, type ProtocolVersion, type TenonError, toText } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { refuse, scripted } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { isAllowedOutcome } from './allowed-outcomes.ts';
import { restartableServer } from './restarted-http-server.ts';

const own = { initialDelayMs: 5, maxDelayMs: 50, maxConsecutiveFailures: 10_000 };
const reconnect = withFixed(own, { maxAttemptsPerMinute: 10_000 });
const failure = (promise: Promise<unknown>): Promise<TenonError> =>
  withTimeout(
    promise.then(
      () => {
        throw new Error('It did not fail.');
      },
      (error) => error,
    ),
    'the failure',
  );

describe.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('At %s over HTTP', (revision) => {
  it('a server that restarts during 100 calls runs each at most once', async () => {
    const server = await restartableServer(revision, (own) => {
      if (own.done.length !== 50) return true;
      void own.stop().then(own.start);
      return false;
    });
    const client = createClient(server.url, { protocolVersions: [revision], reconnect });
    onTestFinished(() => client.close({ timeoutMs: 1 }));
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    const calls = names.map((name) => client.tools.call(name).then(toText, (error: TenonError) => error));
    const outcomes = await withTimeout(Promise.all(calls), 'all calls');
    for (const [n, outcome] of outcomes.entries()) {
      const times = server.done.filter((name) => name === names[n]).length;
      expect(isAllowedOutcome(outcome, times)).toBe(true);
    }
    expect(outcomes.some((outcome) => typeof outcome !== 'string')).toBe(true);
    expect(toText(await withTimeout(client.tools.call('after'), 'the next call'))).toBe('after');
  });

  it('a server that restarts during 100 retryable calls answers all of them', async () => {
    const server = await restartableServer(revision, (own) => {
      if (own.done.length !== 50) return true;
      void own.stop().then(own.start);
      return false;
    });
    const client = createClient(server.url, { protocolVersions: [revision], reconnect });
    onTestFinished(() => client.close({ timeoutMs: 1 }));
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    const calls = names.map((name) => client.tools.call(name, {}, { retryable: true }).then(toText));
    expect(await withTimeout(Promise.all(calls), 'all calls')).toEqual(names);
  });

  it('a server that does not answer one call answers the next', async () => {
    const server = await restartableServer(revision, ({ done }) => done.at(-1) !== 'silent');
    const client = createClient(server.url, { protocolVersions: [revision], reconnect });
    await client.connection.ready();
    const error = await failure(client.tools.call('silent', {}, { timeoutMs: 3000 }));
    expect(error).toMatchObject({ code: 'timeout', details: { method: 'tools/call', timeoutMs: 3000 } });
    expect(toText(await client.tools.call('next'))).toBe('next');
    expect(server.done).toEqual(['silent', 'next']);
    await client.close();
  });

  it('50 calls to a server that answers 401 are rejected at once, after one attempt', async () => {
    const server = await scripted(({ response }) => refuse(response, 401, undefined, { 'www-authenticate': 'Bearer' }));
    const client = createClient(server.url, { protocolVersions: [revision] });
    const errors = await Promise.all(Array.from({ length: 50 }, () => failure(client.tools.call('a'))));
    for (const error of errors) expect(error).toMatchObject({ code: 'unauthorized' });
    expect(server.received).toHaveLength(1);
    expect(client.connection.state).toBe('backoff');
    await client.close();
  });

  it('Retry-After delays the next attempt, up to five minutes', async () => {
    const server = await scripted(({ response }) => refuse(response, 503, undefined, { 'retry-after': '3600' }));
    const client = createClient(server.url, { protocolVersions: [revision] });
    const received: ConnectionStateChange[] = [];
    client.connection.on('state', (change) => received.push(change));
    expect(await failure(client.connection.ready())).toMatchObject({ code: 'server-unavailable' });
    expect(received.at(-1)).toMatchObject({ to: 'backoff', event: 'failed' });
    expect(received.at(-1)?.retryDelayMs).toBeGreaterThanOrEqual(300_000);
    expect(server.received).toHaveLength(1);
    await client.close();
  });
});

it('A socket that is accepted and never answered is a timeout, and attempts continue', async () => {
  const held = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void held.close());
  const { port } = held.address() as { port: number };
  const client = createClient(`http://127.0.0.1:${port}/mcp`, {
    protocolVersions: ['2026-07-28'],
    timeoutMs: 100,
    reconnect,
  });
  const again = new Promise<void>((resolve) => {
    client.connection.on('state', ({ from, to }) => from === 'backoff' && to === 'connecting' && resolve());
  });
  expect(await failure(client.connection.ready())).toMatchObject({ code: 'timeout' });
  await withTimeout(again, 'the next attempt');
  await client.close({ timeoutMs: 1 });
});

it('An unknown host name opens the circuit, and the error has the reason', async () => {
  const client = createClient('http://nowhere.invalid/mcp', {
    reconnect: { initialDelayMs: 1, maxDelayMs: 5, maxConsecutiveFailures: 3 },
  });
  const error = await failure(client.tools.call('a'));
  expect(error).toMatchObject({ code: 'circuit-open', details: { failures: 3 }, cause: { code: 'host-not-found' } });
  expect(error.message).toContain('nowhere.invalid');
  await client.close();
});
