/** Calls that wait for a slot over HTTP: without a session, in one, in a batch and over HTTP+SSE. */
import { tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { call, loneCall, notification, request, startSession } from '../../kit/http/messages.ts';
import { type Headers as Named, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const authenticate = ({ header }: { header(name: string): string | undefined }) =>
  header('x-user') ?? ({ anonymous: true } as const);
const as = (user: string): Named => ({ 'x-user': user });

/** One slot. `hold` runs until it is released. */
async function oneSlot(options: Parameters<typeof serve>[0] = {}) {
  const releases: Array<() => void> = [];
  const order: string[] = [];
  const tools = {
    hold: tool({}, (_given, ctx) => {
      ctx.reportProgress(1);
      return new Promise<string>((resolve) => releases.push(() => resolve('held')));
    }),
    who: tool({}, (_given, { caller }) => {
      order.push(caller.principal?.key ?? '');
      return 'served';
    }),
  };
  const limits = { maxConcurrentCalls: 1, ...options?.limits };
  const timeouts = { queueMs: 60_000, ...options?.timeouts };
  const served = await serve({ authenticate, ...options, limits, timeouts }, {}, { tools });
  const begin = (user: string) => {
    const { headers, body } = loneCall('hold', {}, { progressToken: 1 });
    return open(served.url, { body, headers: { ...headers, ...as(user) } });
  };
  const who = (user: string, id = 1) => {
    const { headers, body } = loneCall('who', {}, {}, id as never);
    return send(served.url, { body, headers: { ...headers, ...as(user) } });
  };
  return { ...served, release: () => releases.shift()?.(), order, begin, who };
}

const waits = (what: () => number, expected: number) => vi.waitFor(() => expect(what()).toBe(expected));

describe('a call that waits for a slot', () => {
  it('is served when one is free, and callers take turns [S24]', async () => {
    const { stats, begin, who, release, order } = await oneSlot();
    await begin('x');
    const answers = [];
    for (const user of ['eve', 'eve', 'eve', 'ada', 'bob']) {
      answers.push(who(user));
      await waits(() => stats().waitingCalls, answers.length);
    }
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(order).toEqual(['eve', 'ada', 'bob', 'eve', 'eve']);
    expect(stats()).toMatchObject({ activeCalls: 0, waitingCalls: 0 });
  });

  it('gets 503 with Retry-After when it has waited too long, and did not start [S24]', async () => {
    const { begin, who, order } = await oneSlot({ timeouts: { queueMs: 20 } });
    await begin('x');
    expect(await who('ada')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      json: { error: { code: -31503, data: { retryAfterMs: 1000, outcome: 'not-started' } } },
    });
    expect(order).toEqual([]);
  });

  it('leaves the queue when its client disconnects, and never runs [S24]', async () => {
    const { url, stats, begin, who, release, order } = await oneSlot();
    await begin('x');
    const client = new AbortController();
    const { headers, body } = loneCall('who');
    const cut = fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...as('eve'),
      } as never,
      body: JSON.stringify(body),
      signal: client.signal,
    });
    await waits(() => stats().waitingCalls, 1);
    client.abort();
    await expect(cut).rejects.toMatchObject({ name: 'AbortError' });
    await waits(() => stats().waitingCalls, 0);
    release();
    expect((await who('ada')).status).toBe(200);
    expect(order).toEqual(['ada']);
  });

  it('of a session runs though its client disconnects, unless it is cancelled [S24]', async () => {
    const { url, stats, begin, release, order } = await oneSlot({ authenticate: () => 'ada' });
    const session = await startSession(url, '2025-11-25');
    await begin('ada');
    const first = session.post(call('who', {}, 1));
    await waits(() => stats().waitingCalls, 1);
    const second = session.post(call('who', {}, 2));
    await waits(() => stats().waitingCalls, 2);
    await session.post(notification('notifications/cancelled', { requestId: 1 }));
    await waits(() => stats().waitingCalls, 1);
    release();
    expect((await second).json).toMatchObject({ id: 2, result: {} });
    expect((await first).text).not.toContain('result');
    expect(order).toEqual(['ada']);
    await waits(() => stats().activeCalls, 0);
  });

  it('of a session that ends is answered with an error and frees its place [S24]', async () => {
    const { url, stats, begin, release, order } = await oneSlot({ authenticate: () => 'ada' });
    const session = await startSession(url, '2025-11-25');
    await begin('ada');
    const waiting = session.post(call('who', {}, 1));
    await waits(() => stats().waitingCalls, 1);
    await session.end();
    expect((await waiting).text).toContain('The session has ended');
    expect(stats().waitingCalls).toBe(0);
    release();
    await waits(() => stats().activeCalls, 0);
    expect(order).toEqual([]);
  });

  it('may be one of a batch, and the batch is answered when all have run [S24]', async () => {
    const { url, stats, begin, release } = await oneSlot({ authenticate: () => 'ada' });
    const session = await startSession(url, '2025-03-26');
    await begin('ada');
    const batch = session.post([call('who', {}, 'a'), call('who', {}, 'b')]);
    await waits(() => stats().waitingCalls, 2);
    release();
    const answers = JSON.parse((await batch).text) as Array<{ id: string }>;
    expect(answers.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });

  it('over HTTP+SSE waits in the same queue [S24]', async () => {
    const { url, stats, begin, release } = await oneSlot();
    const stream = await open(url.replace('/mcp', '/sse'), { method: 'GET', headers: as('ada') });
    await stream.until(() => stream.events().length > 0, 'the URL to post to');
    const messages = new URL(stream.events()[0]?.data ?? '', url).href;
    const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const post = (body: object) => send(messages, { body: body as never, headers: as('ada') });
    await post(request('initialize', hello, 'hello'));
    await begin('x');
    await post(call('who', {}, 7));
    await waits(() => stats().waitingCalls, 1);
    release();
    await stream.until(() => (stream.events().at(-1)?.data ?? '').includes('"id":7'), 'the answer');
    expect(stats().waitingCalls).toBe(0);
  });
});

it('a server that closes waits for calls that wait, for as long as it waits at all [S24]', async () => {
  const { stats, begin, who, release, close, order } = await oneSlot({ timeouts: { shutdownMs: 30_000 } });
  await begin('x');
  const waiting = who('ada');
  await waits(() => stats().waitingCalls, 1);
  const closed = close();
  release();
  expect((await waiting).status).toBe(200);
  await closed;
  expect(order).toEqual(['ada']);
});
