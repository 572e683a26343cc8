/** Calls use all connections of a client: the messages that finish those calls are still sent. */

import { connect, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import {
  event,
  type Json,
  type Received,
  scripted,
  session,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const maxConnections = 3;
const calls = (one: Received): boolean => (one.message.params as Json | undefined)?.name === 'hold';
const many = Array.from({ length: maxConnections + 2 }, (_, n) => n);

it('cancellations of the calls are sent, and the next call is answered', async () => {
  const server = await scripted((one) => (calls(one) ? stream(one.response, ': held\n\n') : false));
  const client = await connect({ url: server.url, maxConnections }, { protocolVersions: [session], reconnect: false });
  onTestFinished(() => client.close());
  const controller = new AbortController();
  const held = many.map(() => client.tools.call('hold', {}, { signal: controller.signal }).catch(({ code }) => code));
  await server.until(calls, maxConnections);
  controller.abort();
  expect(await withTimeout(Promise.all(held), 'the calls to reject')).toEqual(many.map(() => 'cancelled'));
  expect(await withTimeout(client.tools.call('look'), 'the next call')).toMatchObject(textResult('done'));
  expect(server.posted('notifications/cancelled').length).toBeGreaterThanOrEqual(maxConnections);
});

it('elicitations of the calls are answered', async () => {
  const pendingCalls = new Map<unknown, Received>();
  const server = await scripted((one) => {
    const { message, response } = one;
    if (calls(one)) {
      pendingCalls.set(`ask-${message.id}`, one);
      const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };
      return stream(response, event({ id: `ask-${message.id}`, method: 'elicitation/create', params }));
    }
    const call = 'result' in message ? pendingCalls.get(message.id) : undefined;
    call?.response.end(event({ id: call.message.id, result: textResult('agreed') }));
    return false;
  });
  const answers = { elicitForm: async () => ({ action: 'accept' as const, content: {} }) };
  const client = await connect(
    { url: server.url, maxConnections },
    { protocolVersions: [session], reconnect: false, handlers: answers },
  );
  onTestFinished(() => client.close());
  const texts = many.map(async () => toText(await client.tools.call('hold')));
  expect(await withTimeout(Promise.all(texts), 'all calls')).toEqual(many.map(() => 'agreed'));
});

it('a session is deleted while calls use every connection', async () => {
  const server = await scripted((one) => {
    if (calls(one)) return stream(one.response, ': held\n\n');
    if (one.message.method === 'initialize') one.response.setHeader('mcp-session-id', 'one');
    return false;
  });
  const client = await connect({ url: server.url, maxConnections }, { protocolVersions: [session], reconnect: false });
  const held = many.map(() => client.tools.call('hold').catch(({ code }) => code));
  await server.until(calls, maxConnections);
  await withTimeout(client.close({ timeoutMs: 1 }), 'the client to close');
  expect(await Promise.all(held)).toEqual(many.map(() => 'connection-closed'));
  expect(server.received.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});
