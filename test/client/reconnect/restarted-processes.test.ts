/** Server processes that are killed: each call runs at most once, and the caller gets what is known of its outcome. */

import { type CallOptions, createClient, type ProtocolVersion, type TenonError, toText } from 'tenon';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { isAllowedOutcome } from './allowed-outcomes.ts';
import { program } from './restarted-program.ts';

const reconnect = withFixed({ initialDelayMs: 1, maxDelayMs: 20 }, { maxAttemptsPerMinute: 1000 });

describe.each<ProtocolVersion>(['2026-07-28', '2025-11-25', '2024-11-05'])('At %s a server killed', (revision) => {
  const open = (dieAfter: number) => {
    const server = program(revision, dieAfter);
    const client = createClient(server.command, { protocolVersions: [revision], reconnect });
    return { ...server, client };
  };

  it('between running a call and answering it leaves one effect, and the caller gets outcome-unknown', async () => {
    const { client, done } = open(1);
    const call = client.tools.call('charge');
    const error = await withTimeout(
      call.catch((reason: TenonError) => reason),
      'the call to fail',
    );
    expect(error).toMatchObject({
      code: 'outcome-unknown',
      details: { method: 'tools/call', requestId: expect.any(Number) },
      message: expect.not.stringContaining('Run the command in a terminal'),
      cause: { code: 'server-exited', hint: undefined, details: { signal: 'SIGKILL' } },
    });
    expect(done()).toHaveLength(1);
    expect(toText(await withTimeout(client.tools.call('check'), 'the next call'))).toMatch(/^\d+$/);
    expect(done().map((line) => line.split(':')[1])).toEqual(['charge', 'check']);
    await client.close();
  });

  it.each<[string, CallOptions]>([
    ['retryable', { retryable: true }],
    ['retryable and has a key', { retryable: true, idempotencyKey: 'order-7' }],
  ])('before it answers gets the call again if the call is %s', async (_, options) => {
    const { client, done, received } = open(1);
    const pid = toText(await withTimeout(client.tools.call('charge', {}, options), 'the answer'));
    const pids = done().map((line) => line.split(':')[0]);
    expect(pids).toHaveLength(2);
    expect(pids[1]).toBe(pid);
    const keys = received().flatMap(({ message: { method, params } }) =>
      method === 'tools/call' ? JSON.stringify(params).includes('order-7') : [],
    );
    expect(keys).toEqual(Array(2).fill(options.idempotencyKey !== undefined));
    await client.close();
  });

  it('before it answers has lost its idempotency keys: a keyed call is not sent again', async () => {
    const { client, done } = open(1);
    const call = client.tools.call('charge', {}, { idempotencyKey: 'order-7' });
    await expect(withTimeout(call, 'the call to fail')).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(toText(await withTimeout(client.tools.call('check'), 'the next call'))).toMatch(/^\d+$/);
    expect(done().map((line) => line.split(':')[1])).toEqual(['charge', 'check']);
    await client.close();
  });

  it('during 100 calls runs each at most once, and every call gets an allowed outcome', async () => {
    const { client, done } = open(50);
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    const calls = names.map((name) => client.tools.call(name).then(toText, (error: TenonError) => error));
    const outcomes = await withTimeout(Promise.all(calls), 'all calls');
    const times = (name: string): number => done().filter((line) => line.endsWith(`:${name}`)).length;
    for (const [n, outcome] of outcomes.entries()) {
      const ran = times(names[n] as string);
      expect(isAllowedOutcome(outcome, ran)).toBe(true);
    }
    expect(outcomes.filter((outcome) => typeof outcome !== 'string').length).toBeGreaterThan(0);
    const again = names.map((name) => client.tools.call(name, {}, { retryable: true }).then(toText));
    expect(new Set(await withTimeout(Promise.all(again), 'all calls again')).size).toBe(1);
    await client.close();
  });

  it('during 100 retryable calls answers all of them', async () => {
    const { client } = open(50);
    const calls = Array.from({ length: 100 }, (_, n) =>
      client.tools.call(`n${n}`, {}, { retryable: true }).then(toText),
    );
    expect(await withTimeout(Promise.all(calls), 'all calls')).toHaveLength(100);
    await client.close();
  });

  it('is followed by one that gets the log level and the subscriptions, and the reader gets one change [e-stdio-17, e-subscriptions-13]', async () => {
    const { client, received } = open(1);
    await withTimeout(client.connection.ready(), 'the first process');
    await client.setLogLevel('warning');
    const changes = await client.subscribe({ resourceSubscriptions: ['a://b'] });
    await withTimeout(client.tools.call('charge', {}, { retryable: true }), 'the second process');
    const { value } = await withTimeout(changes[Symbol.asyncIterator]().next(), 'the change');
    expect(value).toEqual({ type: 'resource', uri: 'a://b' });
    const [first, second] = [...new Set(received().map(({ pid }) => pid))];
    expect(second).not.toBe(first);
    const sentToSecond = received().filter(({ pid }) => pid === second);
    const texts = sentToSecond.map(({ message }) => JSON.stringify(message)).join('\n');
    expect(texts).toContain('"warning"');
    expect(texts).toContain('a://b');
    await client.close();
    for (const pid of [first, second]) expect(isRunning(pid as number)).toBe(false);
  });
});
