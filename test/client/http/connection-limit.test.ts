/** All connections of a client are held by calls: what ends those calls still gets through. */

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

it('calls that are given up are told to the server, and the next call is answered', async () => {
  const server = await scripted((one) => (calls(one) ? stream(one.response, ': held\n\n') : false));
  const client = await connect({ url: server.url, maxConnections }, { protocolVersions: [session], reconnect: false });
  onTestFinished(() => client.close());
  const given = new AbortController();
  const held = many.map(() => client.tools.call('hold', {}, { signal: given.signal }).catch(({ code }) => code));
  await server.until(calls, maxConnections);
  given.abort();
  expect(await withTimeout(Promise.all(held), 'the calls to end')).toEqual(many.map(() => 'cancelled'));
  expect(await withTimeout(client.tools.call('look'), 'the next call')).toMatchObject(textResult('done'));
  expect(server.posted('notifications/cancelled').length).toBeGreaterThanOrEqual(maxConnections);
});

it('calls that ask get their answers', async () => {
  const requesting = new Map<unknown, Received>();
  const server = await scripted((one) => {
    const { message, response } = one;
    if (calls(one)) {
      requesting.set(`ask-${message.id}`, one);
      const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };
      return stream(response, event({ id: `ask-${message.id}`, method: 'elicitation/create', params }));
    }
    const requested = 'result' in message ? requesting.get(message.id) : undefined;
    requested?.response.end(event({ id: requested.message.id, result: textResult('agreed') }));
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

it('a session is ended while calls hold every connection', async () => {
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
