/** Batches, which one revision has: every request in one is answered, whatever the others tell or ask on the way. */

import { tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { call, notification, startSession } from '../../kit/http/messages.ts';
import type { Json, OpenResponse } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const revision = '2025-03-26';
const progressing = { progressToken: 'mine' };
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Well?' } }];
const tools = {
  think: tool({}, async (_given, ctx) => {
    const { content } = await ctx.sample('it', { messages, maxTokens: 10 });
    return JSON.stringify(content);
  }),
};

const notified = (stream: OpenResponse): unknown[] => stream.messages().map(({ method, id }) => method ?? id);

describe('a batch', () => {
  it.each([
    ['progress', call('count', { to: 2 }, 2, progressing), ['notifications/progress', 'notifications/progress']],
    ['a log message', call('log', {}, 2), ['notifications/message']],
  ])(
    'whose first call is answered before the second tells %s is answered whole, and only then ends [s-http-20@2025-03-26, s-http-24@2025-03-26, s-http-201@2025-03-26]',
    async (_what, second, news) => {
      const { url } = await serve();
      const session = await startSession(url, revision);
      const stream = await session.open({ body: [call('echo', { text: 'first' }, 1), second, 5] });
      expect(await withTimeout(stream.ended, 'the end')).toBe(true);
      expect(notified(stream)).toEqual([null, 1, ...news, 2]);
      expect(stream.messages()[0]).toMatchObject({ error: { code: -32600 } });
      expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'first' }] } });
    },
  );

  it('whose second call asks gives the answer of the first before the question [s-http-20@2025-03-26, s-http-201@2025-03-26]', async () => {
    const { url } = await serve({}, {}, { tools });
    const session = await startSession(url, revision, { capabilities: { sampling: {} } });
    const stream = await session.open({ body: [call('echo', { text: 'first' }, 1), call('think', {}, 2)] });
    await stream.until(() => stream.messages().length === 2, 'the first answer and the question');
    expect(notified(stream)).toEqual([1, 'sampling/createMessage']);
    const [, question] = stream.messages() as [Json, Json];
    const result = { role: 'assistant', model: 'm1', content: { type: 'text', text: 'so' } };
    expect((await session.post({ jsonrpc: '2.0', id: question.id, result })).status).toBe(202);
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()[2]).toMatchObject({ id: 2, result: {} });
  });

  it('whose last call is cancelled after another was answered gives that answer', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, revision);
    const posted = session.post([call('echo', { text: 'first' }, 1), call('wait', {}, 2)]);
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 2 }));
    expect(JSON.parse((await withTimeout(posted, 'the answer')).text)).toMatchObject([{ id: 1 }]);
  });
});
