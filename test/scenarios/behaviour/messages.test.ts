import { createServer, RpcError, resource, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Json, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { isSession } from '../../kit/version-order.ts';

const meta = (capabilities: Json): Json => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

const server = createServer({
  name: 'busy',
  version: '1',
  tools: {
    ask: tool({}, async (_given, ctx) => {
      ctx.reportProgress(1);
      ctx.log('info', 'requesting');
      const roots = await ctx.listRoots();
      const { content } = await ctx.sample('m', {
        messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
        maxTokens: 5,
      });
      return `${roots.length} ${JSON.stringify(content)}`;
    }),
    can: tool({ outputSchema: z.boolean() }, (_given, ctx) => ctx.clientSupports('roots')),
    missing: tool({}, () => {
      throw rpcError('resource-not-found', 'Missing');
    }),
    page: tool({}, () => {
      throw rpcError('url-elicitation-required', 'Open a page');
    }),
  },
  resources: { 'a://b': resource({}, () => 'text') },
});

const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);

/** Whether an answer has an object as result, or an error with an integer code and a message. */
function isWellFormed(result: unknown, error: unknown): boolean {
  if (error === undefined) return typeof result === 'object' && result !== null;
  const { code, message } = error as Json;
  return result === undefined && Number.isInteger(code) && typeof message === 'string';
}

/** A conversation in which both sides send requests and notifications, fail and cancel. */
async function converse(revision: (typeof protocolVersions)[number]) {
  const tapped = await connectRecorded(server, {
    protocolVersions: [revision],
    logLevel: 'debug',
    handlers: {
      roots: [{ uri: 'file:///a' }],
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }),
    },
  });
  const { client } = tapped;
  const changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] });
  await client.tools.call('ask', {}, { onProgress: () => {} });
  await client.request('tools/call', { name: 'unknown' }).catch(() => {});
  server.sendResourceUpdated('a://b');
  await changes[Symbol.asyncIterator]().next();
  await client.tools.call('can', {}, { signal: AbortSignal.abort() }).catch(() => {});
  await client.resources.read('a://b');
  await changes.close();
  await client.close();
  return tapped;
}

describe.each(protocolVersions)('a whole conversation at %s', (revision) => {
  it('is made of well-formed messages on both sides [e-base-03, e-base-31, s-base-01, s-base-03, s-base-15]', async () => {
    const { sent, received } = await converse(revision);
    for (const message of [...sent, ...received]) {
      expect(message.jsonrpc).toBe('2.0');
      const kinds = ['method', 'result', 'error'].filter((key) => key in message);
      expect(kinds).toHaveLength(1);
      const isNotification = String(message.method).startsWith('notifications/');
      expect('id' in message).toBe(!isNotification);
    }
    expect(received.some(({ method }) => String(method).startsWith('notifications/'))).toBe(true);
  });

  it('has request ids that are unique and never null [e-base-04, e-base-05, e-base-06, e-tools-10, s-base-04, s-base-05, s-base-06]', async () => {
    const { sent, received } = await converse(revision);
    const idsOf = (messages: Json[]): unknown[] =>
      messages.filter((message) => 'method' in message && 'id' in message).map(({ id }) => id);
    const requested = !isSession(revision) ? [idsOf(sent)] : [idsOf(sent), idsOf(received)];
    for (const ids of requested) {
      expect(ids.length).toBeGreaterThan(1);
      expect(ids.every(isId)).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
    }
    const calls = sent.filter(({ params }) => (params as Json)?.name === 'ask');
    expect(calls.length).toBe(!isSession(revision) ? 3 : 1);
  });

  it('answers each request once, with its id and either a result or an error [e-base-07, e-base-08, e-base-17, e-base-18, s-base-07, s-base-08, s-base-10, s-base-11, s-base-12, s-base-07@2025-06-18, s-base-08@2025-06-18, s-base-10@2025-06-18, s-base-201@2025-06-18, s-base-11@2024-11-05]', async () => {
    const { sent, received } = await converse(revision);
    for (const [requester, responder] of [
      [sent, received],
      [received, sent],
    ] as const) {
      const requested = new Set(requester.filter((message) => 'method' in message).map(({ id }) => id));
      const answers = responder.filter((message) => !('method' in message));
      const ids = answers.map(({ id }) => id);
      expect(ids.every((id) => requested.has(id))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { result, error } of answers) expect(isWellFormed(result, error)).toBe(true);
    }
  });
});

describe('a conversation of exchanges', () => {
  it('has the envelope in every request and a type in every result [e-base-10, e-schema-03, e-schema-04]', async () => {
    const { sent, received } = await converse('2026-07-28');
    const requests = sent.filter((message) => 'id' in message);
    for (const { params } of requests) expect((params as Json)._meta).toMatchObject(meta({ roots: {}, sampling: {} }));
    const results = received.flatMap(({ result }) => (result === undefined ? [] : [result as Json]));
    expect(results.length).toBeGreaterThan(3);
    for (const { resultType } of results) expect(resultType).toMatch(/^(complete|input_required)$/);
  });

  it.each([
    ['an unknown type', { resultType: 'partial', content: [] }],
    ['a type that is not a string', { resultType: 5, content: [] }],
    ['a task that was not requested', { resultType: 'task', task: {} }],
  ])('refuses a result with %s [e-base-13, e-base-14]', async (_, result) => {
    const { client } = scriptedAt('2026-07-28', { tools: {} }, () => result);
    await expect((await client).tools.call('x')).rejects.toMatchObject({ code: 'invalid-result' });
  });

  it('reads a result without a type as complete [e-base-15]', async () => {
    const { client } = scriptedAt('2026-07-28', { tools: {} }, ({ id }, send) => {
      send({ jsonrpc: '2.0', id, result: { content: [] } });
      return undefined;
    });
    expect(await (await client).tools.call('x')).toEqual({ content: [] });
  });

  it('uses only the client information of the request itself [e-schema-02, e-base-32]', async () => {
    const { send, next } = openRaw(server);
    const supported: unknown[] = [];
    for (const capabilities of [{ roots: {} }, {}, { roots: {} }]) {
      send(request(1, 'tools/call', { name: 'can', _meta: meta(capabilities) }));
      supported.push(((await next()).result as Json).structuredContent);
    }
    expect(supported).toEqual([true, false, true]);
  });

  it('distinguishes an unsupported method from an undeclared capability [e-schema-06]', async () => {
    const { send, next } = openRaw(server);
    send(request(1, 'prompts/list', { _meta: meta({}) }));
    expect(await next()).toMatchObject({ id: 1, error: { code: -32601 } });
    send(request(2, 'tools/call', { name: 'ask', _meta: meta({}) }));
    const answer = await next();
    expect(answer).toMatchObject({ id: 2, error: { code: -32021, data: { requiredCapabilities: { roots: {} } } } });
  });

  it('never uses the retired error codes [e-base-25, e-base-26]', async () => {
    const { ask, send, settled } = await openAt(server, '2026-07-28');
    send(ask(1, 'tools/call', { name: 'missing' }));
    send(ask(2, 'tools/call', { name: 'page' }));
    send(ask(3, 'resources/read', { uri: 'a://missing' }));
    expect(await settled()).toMatchObject([1, 2, 3].map((id) => ({ id, error: { code: -32602 } })));
  });
});

describe.each(protocolVersions)('error codes at %s', (revision) => {
  it.each([-32000, -32001, -32003, -32010, -32019])(
    'without a definition are passed on as unknown: %i [e-base-22]',
    async (code) => {
      const { client } = scriptedAt(revision, { tools: {} }, ({ id }, send) => {
        send({ jsonrpc: '2.0', id, error: { code, message: 'who knows', data: { a: 1 } } });
        return undefined;
      });
      const error = await (await client).tools.call('x').catch((error) => error);
      expect(error).toBeInstanceOf(RpcError);
      expect(error).toMatchObject({ code, reason: 'unknown', message: 'who knows', data: { a: 1 } });
    },
  );
});
