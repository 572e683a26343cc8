/** An elicitation belongs to the user who caused it: who that is, only `authenticate` decides. */
import { tool } from 'tenon';
import type { Authenticate } from 'tenon/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { call, loneCall, startSession } from '../../../kit/http/messages.ts';
import { type Json, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const users: Record<string, string> = { 'Bearer one': 'ada', 'Bearer two': 'eve' };
const authenticate: Authenticate = ({ header }) => users[header('authorization') ?? ''];
const ada = { authorization: 'Bearer one' };
const eve = { authorization: 'Bearer two' };

const accepted = (name: string): Json => ({ action: 'accept', content: { name } });

it('another user who has the session id cannot answer the elicitation [s-elicitation-33, s-elicitation-34, s-elicitation-45]', async () => {
  const { url } = await serve({ authenticate });
  const session = await startSession(url, '2025-11-25', { capabilities: { elicitation: {} }, headers: ada });
  const stream = await session.open({ body: call('greet', {}, 7) });
  await stream.until(() => stream.messages().length >= 1, 'the elicitation');
  const [{ id }] = stream.messages() as [Json];
  expect((await session.post({ jsonrpc: '2.0', id, result: accepted('Eve') }, eve)).status).toBe(404);
  expect((await session.post({ jsonrpc: '2.0', id, result: accepted('Ada') })).status).toBe(202);
  await withTimeout(stream.ended, 'the end of the stream');
  expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } });
});

const named = {
  tools: {
    whoami: tool({ inputSchema: z.object({ sub: z.string() }) }, (_input, { caller }) => `${caller.principal?.key}`),
  },
};

it('the user is the one that was authenticated, whatever the client sends [s-elicitation-36, s-elicitation-62]', async () => {
  const { url } = await serve({ authenticate }, {}, named);
  const claimed = { sub: 'ada', user: 'ada' };
  const single = loneCall('whoami', claimed);
  const headers = { ...single.headers, ...eve, 'x-user': 'ada', cookie: 'user=ada' };
  expect((await send(url, { ...single, headers })).json).toMatchObject({ result: { content: [{ text: 'eve' }] } });
  const session = await startSession(url, '2025-11-25', { headers: eve });
  const body = call('whoami', claimed, 1, { ...claimed });
  expect((await session.post(body)).json).toMatchObject({ result: { content: [{ text: 'eve' }] } });
});
