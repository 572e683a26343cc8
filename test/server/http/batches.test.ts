/** Batches, which only 2025-03-26 has: every request gets its response, whatever the others send meanwhile. */

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

const sentOn = (stream: OpenResponse): unknown[] => stream.messages().map(({ method, id }) => method ?? id);

describe('a batch', () => {
  it.each([
    ['progress', call('count', { to: 2 }, 2, progressing), ['notifications/progress', 'notifications/progress']],
    ['a log message', call('log', {}, 2), ['notifications/message']],
  ])(
    'whose second call sends %s after the first response gets all responses before its stream ends [s-http-20@2025-03-26, s-http-24@2025-03-26, s-http-201@2025-03-26]',
    async (_name, second, notifications) => {
      const { url } = await serve();
      const session = await startSession(url, revision);
      const stream = await session.open({ body: [call('echo', { text: 'first' }, 1), second, 5] });
      expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
      expect(sentOn(stream)).toEqual([null, 1, ...notifications, 2]);
      expect(stream.messages()[0]).toMatchObject({ error: { code: -32600 } });
      expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'first' }] } });
    },
  );

  it('whose second call sends a server request gets the response of the first before it [s-http-20@2025-03-26, s-http-201@2025-03-26]', async () => {
    const { url } = await serve({}, {}, { tools });
    const session = await startSession(url, revision, { capabilities: { sampling: {} } });
    const stream = await session.open({ body: [call('echo', { text: 'first' }, 1), call('think', {}, 2)] });
    await stream.until(() => stream.messages().length >= 2, 'the first response and the server request');
    expect(sentOn(stream)).toEqual([1, 'sampling/createMessage']);
    const [, samplingRequest] = stream.messages() as [Json, Json];
    const result = { role: 'assistant', model: 'm1', content: { type: 'text', text: 'so' } };
    expect((await session.post({ jsonrpc: '2.0', id: samplingRequest.id, result })).status).toBe(202);
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()[2]).toMatchObject({ id: 2, result: {} });
  });

  it('whose last call is cancelled gets the responses of the others', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, revision);
    const posted = session.post([call('echo', { text: 'first' }, 1), call('wait', {}, 2)]);
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 2 }));
    expect(JSON.parse((await withTimeout(posted, 'the response')).text)).toMatchObject([{ id: 1 }]);
  });
});
