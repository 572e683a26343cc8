/** Every call gives its slot back, whichever way it ends: the endpoint has as many slots afterwards as before. */
import { type ServeHttpOptions, ToolError, tool } from 'tenon';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, loneCall, notification, startSession } from '../../kit/http/messages.ts';
import { type Json, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const endings = {
  returns: tool({}, () => 'now'),
  resolves: tool({}, async () => 'later'),
  throws: tool({}, () => {
    throw new Error('broken');
  }),
  rejects: tool({}, async () => {
    throw new ToolError('wrong');
  }),
  'takes-too-long': tool({ timeoutMs: 1 }, () => new Promise<string>(() => {})),
  'rejects-its-arguments': tool({ inputSchema: z.object({ a: z.string() }) }, () => 'never'),
  'returns-what-is-no-result': tool({}, () => ({ a: 1n }) as never),
  'requires-input': tool({}, async (_given, ctx) => {
    const { action } = await ctx.elicit('it', { message: 'Well?', schema: z.object({}) });
    return action;
  }),
  'closes-its-stream': tool({}, (_given, ctx) => {
    ctx.closeStream();
    return 'closed';
  }),
};

/** Runs until it is aborted. */
const obey = tool({}, (_given, { signal, reportProgress }) => {
  reportProgress(1);
  return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));
});

/** One slot: a single one that leaks refuses every later call. */
const oneSlot = (options: ServeHttpOptions = {}) =>
  serve({ ...options, limits: { maxConcurrentCalls: 1 } }, {}, { tools: { ...endings, obey } });

const names = [...Object.keys(endings), 'is-unknown'];

it.each(names)('a call that %s gives its slot back, with and without a session', async (name) => {
  const { url, stats } = await oneSlot();
  const session = await startSession(url, '2025-11-25');
  for (let at = 1; at <= 3; at++) {
    const alone = loneCall(name);
    for (const answer of [await send(url, alone), await session.post(call(name, {}, at))])
      expect(answer.text).not.toMatch(/-31503|-31429/);
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
  }
  expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
});

const meta = { progressToken: 1 };

it.each([
  ['disconnects', '2026-07-28', undefined],
  ['cancels it', '2025-11-25', notification('notifications/cancelled', { requestId: 1 })],
  ['ends its session', '2025-11-25', 'DELETE'],
])(
  'a call whose client %s gives its slot back when its handler stops',
  async (_name, revision, ending: Json | string | undefined) => {
    const { url, stats } = await oneSlot();
    for (let at = 0; at < 3; at++) {
      const session = revision === '2026-07-28' ? undefined : await startSession(url, revision);
      const sent = session === undefined ? loneCall('obey', {}, meta) : { body: call('obey', {}, 1, meta) };
      const running = await (session === undefined ? open(url, sent) : session.open(sent));
      expect([running.status, stats().activeCalls]).toEqual([200, 1]);
      if (ending === undefined) running.cut();
      else if (ending === 'DELETE') await session?.end();
      else await session?.post(ending);
      await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
    }
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
  },
);
