/** Server requests on the wire, message by message. */

import { connect, type ProtocolVersion } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { everything, filledBy, form, formModes, run, sampled, serverOf } from '../../kit/server-request-modes.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

describe('A call that requires input, in an exchange', () => {
  const rich = serverOf(async (context) => {
    await context.requestInput({
      form: form('Who?'),
      page: { message: 'Open', url: 'https://a.example' },
      model: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 3 },
      roots: 'roots',
    });
    await context.elicit('last', form('And?'));
    return 'done';
  });

  it('has its server requests in results, and gets no requests from the server [e-mrtr-01, e-mrtr-07, e-mrtr-08, e-mrtr-18, e-elicit-12, e-elicit-15, e-sampling-14, e-stdio-07]', async () => {
    const { client, sent, received } = await connectRecorded(rich, {
      protocolVersions: ['2026-07-28'],
      handlers: everything,
    });
    expect(await run(client)).toBe('done');
    expect(received.filter((message) => 'method' in message)).toEqual([]);
    expect(sent.filter((message) => !('method' in message))).toEqual([]);
    const [first, second] = received.slice(-3).map(({ result }) => result as Json);
    expect(first).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String),
      inputRequests: {
        form: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: {} } },
        page: { method: 'elicitation/create', params: { mode: 'url', message: 'Open', url: 'https://a.example' } },
        model: { method: 'sampling/createMessage', params: { maxTokens: 3, messages: [{ role: 'user' }] } },
        roots: { method: 'roots/list' },
      },
    });
    expect(first).not.toHaveProperty('ttlMs');
    expect(second).toMatchObject({ inputRequests: { last: {} } });
  });

  it('is sent again with a new id, its _meta, the answers of this round and the unchanged state [e-mrtr-02, e-mrtr-03, e-mrtr-22, e-mrtr-24, e-mrtr-26, e-elicit-07, e-sampling-07, e-roots-03]', async () => {
    const { client, sent, received } = await connectRecorded(rich, {
      protocolVersions: ['2026-07-28'],
      handlers: everything,
    });
    await run(client);
    const calls = sent.filter(({ method }) => method === 'tools/call');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    const results = received.slice(-3).map(({ result }) => result as Json);
    for (const { params } of calls) {
      expect((params as Json)._meta).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {
          elicitation: { form: {}, url: {} },
          sampling: { tools: {} },
          roots: {},
        },
      });
    }
    expect(calls[1]?.params).toMatchObject({
      name: 'it',
      requestState: results[0]?.requestState,
      inputResponses: {
        form: { action: 'accept', content: { value: 'Who?' } },
        page: { action: 'accept' },
        model: sampled,
        roots: { roots: [{ uri: 'file:///a' }] },
      },
    });
    expect(calls[2]?.params).toMatchObject({ requestState: results[1]?.requestState });
    expect(calls[2]).toHaveProperty('params.inputResponses', {
      last: { action: 'accept', content: { value: 'And?' } },
    });
  });

  it('uses answers and state for that retry only: concurrent calls have their own [e-mrtr-27]', async () => {
    const { client, sent } = await connectRecorded(rich, { protocolVersions: ['2026-07-28'], handlers: everything });
    expect(await Promise.all([run(client), run(client)])).toEqual(['done', 'done']);
    const states = sent.map(({ params }) => (params as Json).requestState).filter((state) => state !== undefined);
    expect(new Set(states).size).toBe(4);
    await client.tools.call('it').catch(() => {});
    await client.tools.list().all();
    expect(sent.at(-1)).not.toHaveProperty('params.requestState');
  });

  /** A scripted server that answers the first call with `first`. Returns the params of all calls. */
  async function callsAfter(first: Json): Promise<Json[]> {
    const [here, there] = createMemoryTransports();
    const calls: Json[] = [];
    const discovery = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    };
    there.open({
      onMessage(text) {
        const { id, method, params } = JSON.parse(text);
        if (method === 'tools/call') calls.push(params);
        const answer = method === 'server/discover' ? discovery : calls.length === 1 ? first : { content: [] };
        there.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...answer } }));
      },
      onClose: () => {},
    });
    const client = await connect(here, { handlers: everything });
    await client.tools.call('it');
    return calls;
  }

  it('is sent again without state if it got none, and with state if it got only state [e-mrtr-25]', async () => {
    const inputRequests = { a: { method: 'elicitation/create', params: form('a') } };
    const [, second] = await callsAfter({ resultType: 'input_required', inputRequests });
    expect(second).toMatchObject({ inputResponses: { a: { action: 'accept', content: { value: 'a' } } } });
    expect(second).not.toHaveProperty('requestState');
    const [, again] = await callsAfter({ resultType: 'input_required', requestState: ' "{odd}\n' });
    expect(again?.requestState).toBe(' "{odd}\n');
  });

  it('treats an elicitation without mode as a form [e-elicit-14]', async () => {
    const inputRequests = { a: { method: 'elicitation/create', params: form('no mode') } };
    const [, second] = await callsAfter({ resultType: 'input_required', inputRequests, requestState: 's' });
    expect(second).toMatchObject({ inputResponses: { a: { action: 'accept', content: { value: 'no mode' } } } });
  });

  it('is never a list or a completion [e-mrtr-05]', async () => {
    const raw = openRaw(rich);
    raw.send(request(1, 'tools/list', envelope({ inputResponses: {}, requestState: 'x' })));
    expect((await raw.next()).result).toMatchObject({ resultType: 'complete' });
  });
});

describe('A form in 2025-06-18, the first revision with forms', () => {
  it('has a message, a flat schema, names for choices and defaults for booleans only, and no mode [s-elicitation-11@2025-06-18, s-elicitation-14@2025-06-18, s-elicitation-15@2025-06-18, s-elicitation-31@2025-06-18]', async () => {
    const server = serverOf(async (context) => {
      const properties = {
        name: { type: 'string' as const, default: 'Ada' },
        sure: { type: 'boolean' as const, default: true },
        colour: { type: 'string' as const, oneOf: [{ const: 'r', title: 'Red' }] },
      };
      const answer = await context.elicit('q', { message: 'Who?', requestedSchema: { type: 'object', properties } });
      return JSON.stringify(answer);
    });
    const filled = { action: 'accept' as const, content: { colour: 'r' } };
    const declined = { ...filled, action: 'decline' as const };
    const filling = [filled, declined];
    const form = () => filling.shift() ?? declined;
    const { client, received, sent } = await connectRecorded(server, {
      protocolVersions: ['2025-06-18'],
      handlers: { elicitForm: form },
    });
    expect(JSON.parse(String(await run(client)))).toEqual({
      action: 'accept',
      content: { name: 'Ada', sure: true, colour: 'r' },
    });
    const requested = received.find(({ method }) => method === 'elicitation/create')?.params;
    expect(requested).toEqual({
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          sure: { type: 'boolean', default: true },
          colour: { type: 'string', enum: ['r'], enumNames: ['Red'] },
        },
      },
    });
    await run(client);
    expect(sent.filter((message) => 'result' in message).map(({ result }) => result)).toEqual([
      { action: 'accept', content: { sure: true, colour: 'r' } },
      { action: 'decline' },
    ]);
  });
});

describe.each(formModes.filter(({ revision }) => revision === '2025-11-25'))(
  'A session with elicitations, $name',
  (mode) => {
    it('sends requests with mode, message and schema or URL, and gets content for accepted forms only [s-elicitation-09, s-elicitation-11, s-elicitation-14, s-elicitation-31, e-elicit-09]', async () => {
      const server = serverOf(
        async (context) => {
          await context.elicit('a', form('a'));
          await context.elicit('b', { message: 'b', url: 'https://b.example' });
          return (await context.elicit('c', form('c'))).action;
        },
        { alwaysReplay: mode.replay },
      );
      const answers = {
        ...everything,
        elicitForm: ({ message }: { message: string }) =>
          message === 'c'
            ? { action: 'decline' as const, content: { value: 'c' } }
            : { action: 'accept' as const, content: { value: message } },
        elicitUrl: () => ({ action: 'accept' as const, content: { a: 'x' } }),
      };
      const { client, sent, received } = await connectRecorded(server, {
        protocolVersions: ['2025-11-25'],
        handlers: answers,
      });
      expect(await run(client)).toBe('decline');
      expect(sent[0]?.params).toMatchObject({
        capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } },
      });
      const requested = received.filter(({ method }) => method === 'elicitation/create').map(({ params }) => params);
      expect(requested).toMatchObject([
        { mode: 'form', message: 'a', requestedSchema: { type: 'object' } },
        { mode: 'url', message: 'b', url: 'https://b.example', elicitationId: expect.any(String) },
        { mode: 'form', message: 'c' },
      ]);
      const seen = sent.filter((message) => 'result' in message).map(({ result }) => result);
      expect(seen).toEqual([
        { action: 'accept', content: { value: 'a' } },
        { action: 'accept' },
        { action: 'decline' },
      ]);
    });
  },
);

describe('A client in a session', () => {
  /** The response of a client to one request of a scripted server, in a session. */
  async function answerTo(serverRequest: Json, answers: Parameters<typeof connect>[1]): Promise<Json> {
    const [here, there] = createMemoryTransports();
    const answered = new Promise<Json>((resolve) => {
      there.open({
        onMessage(text) {
          const message = JSON.parse(text);
          if (message.method === 'initialize') {
            const serverInfo = { name: 'scripted', version: '1' };
            const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
            there.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
          }
          if (message.method === 'notifications/initialized')
            there.send(JSON.stringify({ jsonrpc: '2.0', id: 'q', ...serverRequest }));
          if (message.id === 'q') resolve(message);
        },
        onClose: () => {},
      });
    });
    const client = await connect(here, { protocolVersions: ['2025-11-25'], ...answers });
    const answer = await answered;
    await client.close();
    return answer;
  }
  const tools = [{ name: 't', inputSchema: { type: 'object' } }];
  const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }];

  it('answers an undeclared elicitation mode with -32602 [s-elicitation-44]', async () => {
    const params = { mode: 'url', message: 'x', url: 'https://a.example', elicitationId: 'e' };
    const answer = await answerTo({ method: 'elicitation/create', params }, { handlers: { elicitForm: filledBy({}) } });
    expect(answer.error).toMatchObject({ code: -32602 });
  });

  it('treats an elicitation without mode as a form [s-elicitation-13]', async () => {
    const answer = await answerTo(
      { method: 'elicitation/create', params: form('x') },
      { handlers: { elicitForm: filledBy({}) } },
    );
    expect(answer.result).toEqual({ action: 'accept', content: { value: 'x' } });
  });

  it.each([{ tools }, { toolChoice: { mode: 'auto' } }])(
    'answers sampling with %j with an error if it did not declare sampling.tools [s-sampling-30]',
    async (extra) => {
      const params = { messages, maxTokens: 1, ...extra };
      const answer = await answerTo(
        { method: 'sampling/createMessage', params },
        { handlers: { sample: () => sampled } },
      );
      expect(answer.error).toMatchObject({ code: -32602 });
    },
  );

  it('answers tool results that are missing or mixed with other content with -32602 [s-sampling-17, s-sampling-18]', async () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 't', input: {} }] };
    const result = { type: 'tool_result', toolUseId: 'u', content: [] };
    for (const last of [messages[0], { role: 'user', content: [result, { type: 'text', text: 'x' }] }]) {
      const params = { messages: [use, last], maxTokens: 1, tools };
      const answers = { sample: () => sampled, samplingTools: true };
      const answer = await answerTo({ method: 'sampling/createMessage', params }, { handlers: answers });
      expect(answer.error).toMatchObject({ code: -32602 });
    }
  });

  it('passes the elicitationId to its handler unchanged [s-elicitation-19]', async () => {
    const params = { mode: 'url', message: 'x', url: 'https://a.example', elicitationId: ' {odd}/"id"' };
    const seen: unknown[] = [];
    const url = ({ elicitationId }: { elicitationId?: string }) => {
      seen.push(elicitationId);
      return { action: 'cancel' as const };
    };
    expect((await answerTo({ method: 'elicitation/create', params }, { handlers: { elicitUrl: url } })).result).toEqual(
      {
        action: 'cancel',
      },
    );
    expect(seen).toEqual([params.elicitationId]);
  });

  it.each<ProtocolVersion>(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'sends notifications/roots/list_changed, %s [s-roots-02]',
    async (revision) => {
      const { client, sent } = await connectRecorded(
        serverOf(() => 'x'),
        { protocolVersions: [revision], handlers: everything },
      );
      client.sendRootsListChanged();
      expect(sent[0]).toMatchObject({ params: { capabilities: { roots: { listChanged: true } } } });
      expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    },
  );
});
