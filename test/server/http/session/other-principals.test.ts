/** What one principal opened is refused to every other, also to one of the same subject at another issuer, and always alike. */
import { type Authenticate, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, initialize, lone, loneCall, request, startSession } from '../../../kit/http/messages.ts';
import { type Answer, open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { at, secrets, twoNodes } from './two-nodes.ts';

const authenticate: Authenticate = ({ header }) => {
  const [subject = '', issuer = ''] = header('x-user')?.split('@') ?? [];
  return subject === '' ? { anonymous: true } : { issuer: `https://${issuer}.example`, subject };
};
const owner = { 'x-user': 'ada@one' };
/** The same subject at another issuer, another subject of the same issuer, no principal. */
const others = [['ada@two'], ['eve@one'], [undefined]] as const;

let runs = 0;
const tools = {
  count: tool({}, () => String(++runs)),
  approve: tool({}, async (_given, ctx) => {
    const { action } = await ctx.elicit('ok', { message: 'Pay?', schema: z.object({ sure: z.boolean() }) });
    return `${ctx.caller.principal?.key} ${action}`;
  }),
};
const seen = ({ status, text, headers }: Answer) => ({ status, text, challenge: headers['www-authenticate'] });

describe.each(others)('what ada@one opened is refused to %s', (other) => {
  const by = { 'x-user': other };

  it('as a session: every verb is 404, as for an id that never was [S21, e-secbp-10, e-secbp-11]', async () => {
    const { a, b } = await twoNodes({ authenticate });
    const session = await startSession(a.url, '2025-06-18', { headers: owner });
    const unknown = await send(a.url, { body: request('ping'), headers: { ...by, 'mcp-session-id': 'x'.repeat(60) } });
    for (const used of [session, at(b, session)]) {
      const answer = await used.post(request('ping'), by);
      expect(seen(answer)).toEqual(seen(unknown));
      expect(answer.status).toBe(404);
      const headers = { ...used.headers, ...by, accept: 'text/event-stream' };
      const url = used === session ? a.url : b.url;
      expect((await send(url, { method: 'GET', headers })).status).toBe(404);
      expect((await send(url, { method: 'DELETE', headers })).status).toBe(404);
    }
    expect((await session.post(request('ping'))).status).toBe(200);
  });

  it('as an event id: its stream cannot be resumed [S21, e-secbp-10]', async () => {
    const { url, waits, release } = await serve({ authenticate });
    const session = await startSession(url, '2025-11-25', { headers: owner });
    const stream = await session.open({ body: call('wait', {}, 1, { progressToken: 1 }) });
    await waits;
    await stream.until(() => stream.events().length > 1, 'the first event');
    const headers = { accept: 'text/event-stream', 'last-event-id': stream.events().at(-1)?.id, ...by };
    const own = await startSession(url, '2025-11-25', { headers: by });
    // With the session of the owner, and with a session of its own.
    expect((await send(url, { method: 'GET', headers: { ...session.headers, ...headers } })).status).toBe(404);
    expect((await send(url, { method: 'GET', headers: { ...own.headers, ...headers } })).status).toBe(400);
    release();
    await stream.ended;
    expect(stream.messages().at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } });
  });

  it('as a stream of HTTP+SSE: messages for it are 404 [S21]', async () => {
    const { url } = await serve({ authenticate });
    const stream = await open(url.replace('/mcp', '/sse'), {
      method: 'GET',
      headers: { accept: 'text/event-stream', ...owner },
    });
    await stream.until(() => stream.text().includes('session='), 'the URL to post to');
    const messages = new URL(/data: (\S+)/.exec(stream.text())?.[1] ?? '', url).href;
    const unknown = await send(`${messages}x`, { body: initialize('2024-11-05'), headers: by });
    expect(seen(await send(messages, { body: initialize('2024-11-05'), headers: by }))).toEqual(seen(unknown));
    expect(unknown.status).toBe(404);
    stream.cut();
  });

  it('as a request state: it is refused like one that was never sealed [S21, e-secbp-11]', async () => {
    const { url } = await serve({ authenticate }, { secrets }, { tools });
    const post = (headers: object, more: object = {}) => {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
      const sent = lone('tools/call', { name: 'approve', arguments: {}, ...more }, meta);
      return send(url, { ...sent, headers: { ...sent.headers, ...headers } });
    };
    const { requestState } = (await post(owner)).json.result as { requestState: string };
    const inputResponses = { ok: { action: 'decline' } };
    const refused = await post(by, { requestState, inputResponses });
    expect(seen(refused)).toEqual(seen(await post(by, { requestState: 'x'.repeat(100), inputResponses })));
    expect(refused.json).toMatchObject({ error: { code: -32602, data: { requestState: 'refused' } } });
    const { json } = await post(owner, { requestState, inputResponses });
    expect(json).toMatchObject({ result: { content: [{ text: '["https://one.example","ada"] decline' }] } });
  });

  it('as an idempotency key: the call of the other runs, and neither sees the result of the other [S21]', async () => {
    const { url } = await serve({ authenticate }, {}, { tools });
    const sent = loneCall('count', {}, { 'dev.tenon/idempotency-key': 'k-1' });
    const post = async (headers: object) =>
      (await send(url, { ...sent, headers: { ...sent.headers, ...headers } })).text;
    const first = await post(owner);
    const theirs = await post(by);
    expect(theirs).not.toBe(first);
    expect(await post(owner)).toBe(first);
    expect(await post(by)).toBe(theirs);
  });
});
