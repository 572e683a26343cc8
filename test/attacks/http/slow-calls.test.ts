/** Slow calls: one caller cannot take the slots of all others, and every running handler counts until it returns. */
import { tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, loneCall, request, startSession } from '../../kit/http/messages.ts';
import { type Answer, type Headers as Named, type OpenResponse, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const authenticate = ({ header }: { header(name: string): string | undefined }) =>
  header('x-user') ?? ({ anonymous: true } as const);
const as = (user: string): Named => ({ 'x-user': user });
const from = (address: string): Named => ({ 'x-forwarded-for': address });
const trustedProxies = ['127.0.0.1'];

/** `hold` runs until it is released, `obey` until it is aborted. */
async function slowServer(options: Parameters<typeof serve>[0]) {
  let running = 0;
  let most = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const counted = async (ends: Promise<unknown>): Promise<string> => {
    most = Math.max(most, ++running);
    await ends;
    running--;
    return 'done';
  };
  const tools = {
    hold: tool({}, (_given, ctx) => {
      ctx.reportProgress(1);
      return counted(released);
    }),
    obey: tool({}, (_given, { signal, reportProgress }) => {
      reportProgress(1);
      return counted(new Promise((resolve) => signal.addEventListener('abort', resolve)));
    }),
    quick: tool({ inputSchema: z.object({}) }, () => 'quick'),
  };
  const served = await serve(options, {}, { tools });
  return { ...served, release, running: () => running, most: () => most };
}

/** Begins calls of a tool one after the other; each is answered by a stream if it runs. */
async function begin(url: string, name: string, count: number, headers: Named): Promise<OpenResponse[]> {
  const { headers: own, body } = loneCall(name, {}, { progressToken: 1 });
  const begun: OpenResponse[] = [];
  for (let at = 0; at < count; at++) begun.push(await open(url, { body, headers: { ...own, ...headers } }));
  return begun;
}

function quick(url: string, headers: Named): Promise<Answer> {
  const { headers: own, body } = loneCall('quick');
  return send(url, { body, headers: { ...own, ...headers } });
}

describe('slow calls of one caller', () => {
  it.each([
    ['a principal', { authenticate }, as('eve'), as('ada')],
    ['an address', { trustedProxies }, from('203.0.113.1'), from('198.51.100.7')],
  ])('take at most half of the slots, and others are served: %s [S24, S31]', async (_name, options, eve, ada) => {
    const { url, stats, release, running } = await slowServer({
      ...options,
      limits: { maxConcurrentCalls: 8, maxQueuedCalls: 0 },
    });
    const calls = await begin(url, 'hold', 6, eve);
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
    const [refused] = calls.slice(4);
    await refused?.ended;
    expect(refused?.headers['retry-after']).toBe('1');
    expect(JSON.parse(refused?.text() ?? '')).toMatchObject({
      id: 1,
      error: { code: -31429, data: { retryAfterMs: 1000 } },
    });
    expect([stats().activeCalls, running()]).toEqual([4, 4]);
    expect((await quick(url, ada)).status).toBe(200);
    // Their client disconnects; the handlers do not stop, and still count.
    for (const one of calls) one.cut();
    expect((await quick(url, ada)).status).toBe(200);
    expect((await quick(url, eve)).status).toBe(429);
    expect(stats().activeCalls).toBe(4);
    release();
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
    expect((await quick(url, eve)).status).toBe(200);
  });

  it('leave their slots at once when the client disconnects and the handlers stop [S24]', async () => {
    const { url, stats } = await slowServer({ authenticate, limits: { maxConcurrentCalls: 4, maxQueuedCalls: 0 } });
    for (let round = 0; round < 3; round++) {
      const calls = await begin(url, 'obey', 3, as('eve'));
      expect(calls.map(({ status }) => status)).toEqual([200, 200, 429]);
      for (const one of calls) one.cut();
      await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
    }
  });

  it('without a principal share what one principal may have, and each address a part of it [S24]', async () => {
    const options = { authenticate, trustedProxies, limits: { maxConcurrentCalls: 12, maxQueuedCalls: 0 } };
    const { url, stats, release } = await slowServer(options);
    for (let at = 0; at < 10; at++) await begin(url, 'hold', 3, from(`203.0.113.${at}`));
    expect(stats().activeCalls).toBeLessThanOrEqual(6);
    expect((await quick(url, as('ada'))).status).toBe(200);
    release();
  });

  it('leave a slot for a newcomer when several callers are greedy [S24]', async () => {
    const { url, stats, release } = await slowServer({
      authenticate,
      limits: { maxConcurrentCalls: 20, maxQueuedCalls: 0 },
    });
    for (const user of ['eve', 'mallory', 'trudy']) await begin(url, 'hold', 11, as(user));
    expect(stats().activeCalls).toBe(18);
    expect((await quick(url, as('ada'))).status).toBe(200);
    release();
  });
});

describe('calls in many sessions', () => {
  const batches = '2025-03-26';

  it('whose sockets are dropped count under one cap until their handlers return [S24, S37]', async () => {
    const limits = { maxConcurrentCalls: 40, maxQueuedCalls: 0 };
    const { url, stats, release, running, most } = await slowServer({ limits });
    const sessions = await Promise.all(Array.from({ length: 8 }, () => startSession(url, batches)));
    const holding = Array.from({ length: 10 }, (_, id) => call('hold', {}, id));
    const dropped = sessions.map(async ({ headers }) => {
      const client = new AbortController();
      const accept = 'application/json, text/event-stream';
      const init = { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' } as never };
      const answer = fetch(url, { ...init, body: JSON.stringify(holding), signal: client.signal });
      await vi.waitFor(() => expect(running()).toBe(20));
      client.abort();
      await expect(answer.then((response) => response.text())).rejects.toMatchObject({ name: 'AbortError' });
    });
    const results = await Promise.allSettled(dropped);
    expect([stats().activeCalls, running(), most()]).toEqual([20, 20, 20]);
    // Batches of which no call could run are answered at once.
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    const refused = await sessions[0]?.post(holding.map((one) => ({ ...one, id: `again ${one.id}` })));
    expect(refused?.status).toBe(200);
    expect(JSON.parse(refused?.text ?? '')).toHaveLength(10);
    expect(refused?.text).toContain('-31429');
    expect(await sessions[0]?.post(call('quick', {}, 'one'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { id: 'one', error: { code: -31429 } },
    });
    await Promise.all(sessions.map((session) => session.end()));
    expect(stats()).toMatchObject({ sessions: 0, activeCalls: 20 });
    release();
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
    expect((await quick(url, {})).status).toBe(200);
  });

  it('count together with calls without a session and over HTTP+SSE [S24]', async () => {
    const { url, stats, release } = await slowServer({ limits: { maxConcurrentCalls: 6, maxQueuedCalls: 0 } });
    const stream = await open(url.replace('/mcp', '/sse'), { method: 'GET' });
    await stream.until(() => stream.events().length > 0, 'the URL to post to');
    const messages = new URL(stream.events()[0]?.data ?? '', url).href;
    const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    await send(messages, { body: request('initialize', hello, 'hello') });
    await send(messages, { body: call('hold', {}, 1) });
    const session = await startSession(url, '2025-11-25');
    const inSession = await session.open({ body: call('hold', {}, 1, { progressToken: 1 }) });
    const [alone, refused] = await begin(url, 'hold', 2, {});
    expect([inSession.status, alone?.status, refused?.status]).toEqual([200, 200, 429]);
    expect(stats().activeCalls).toBe(3);
    await send(messages, { body: call('hold', {}, 2) });
    const answered = (): string => stream.events().at(-1)?.data ?? '';
    await stream.until(() => answered().includes('"id":2'), 'the refusal');
    expect(JSON.parse(answered())).toMatchObject({ id: 2, error: { code: -31429 } });
    release();
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
  });
});
