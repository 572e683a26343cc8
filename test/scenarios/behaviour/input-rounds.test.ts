/** Input-required results of exchanges and the responses to them, as they are sent. */
import { type ConnectOptions, createServer, tool } from 'tenon';
import type { Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const schema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
const form = { message: 'Who?', requestedSchema: schema };
const words = { role: 'user' as const, content: { type: 'text' as const, text: 'hi' } };
const spoken = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'yes' } };
const empty = { type: 'object' as const };

/** Answers the first call with input requests and the second with a result. Returns the client's input responses. */
async function answered(inputRequests: Json, answers: NonNullable<ConnectOptions['handlers']>) {
  const results = ({ params }: Json): Json =>
    (params as Json).inputResponses === undefined ? { resultType: 'input_required', inputRequests } : { content: [] };
  const { client, received, warnings } = scriptedAt('2026-07-28', { tools: {} }, results, { handlers: answers });
  const connected = await client;
  const failure = await connected.tools.call('it').then(
    () => undefined,
    (error) => error,
  );
  const { inputResponses } = (received.at(-1) as { params: Json }).params;
  await connected.close();
  return { responses: inputResponses as Json, failure, warnings };
}

/** The answer of a server with one tool to a client with these capabilities. */
async function requested(run: (context: Context) => Promise<unknown>, clientCapabilities: Json): Promise<Json> {
  const it = tool({}, async (_given, context) => String(await run(context)));
  const { send, next } = openRaw(createServer({ name: 's', version: '1', tools: { it } }, { onError() {} }));
  const meta = { 'io.modelcontextprotocol/clientCapabilities': clientCapabilities };
  send(request(1, 'tools/call', envelope({ name: 'it' }, meta)));
  return next();
}

const elicitation = (params: Json): Json => ({ method: 'elicitation/create', params });
const sampling = (params: Json): Json => ({
  method: 'sampling/createMessage',
  params: { messages: [], maxTokens: 1, ...params },
});

describe('a client that gets an input-required result', () => {
  it('responds under every key with a bare result [e-schema-11, e-schema-13]', async () => {
    const { responses } = await answered(
      {
        a: elicitation(form),
        'b c': elicitation({ mode: 'url', message: 'Open', url: 'https://a.example' }),
        c: sampling({ messages: [words] }),
        d: { method: 'roots/list' },
        '': elicitation(form),
      },
      {
        elicitForm: () => ({ action: 'accept', content: { name: 'Ann' } }),
        elicitUrl: () => ({ action: 'accept' }),
        sample: () => spoken,
        roots: [{ uri: 'file:///home' }],
      },
    );
    expect(responses).toEqual({
      a: { action: 'accept', content: { name: 'Ann' } },
      'b c': { action: 'accept' },
      c: spoken,
      d: { roots: [{ uri: 'file:///home' }] },
      '': { action: 'accept', content: { name: 'Ann' } },
    });
  });

  it('responds to no key where one of them fails [e-schema-11]', async () => {
    const { responses, failure } = await answered(
      { a: elicitation(form), b: { method: 'roots/list' } },
      { elicitForm: () => ({ action: 'decline' }) },
    );
    expect(responses).toBeUndefined();
    expect(failure).toMatchObject({ code: 'server-request-failed', cause: { code: -32601 } });
  });

  it.each([
    ['a mode that it did not declare', elicitation({ mode: 'url', message: 'Open', url: 'https://a.example' })],
    ['tools that it did not declare', sampling({ tools: [{ name: 't', inputSchema: empty }] })],
    ['a tool choice that it did not declare', sampling({ toolChoice: { mode: 'auto' } })],
    [
      'a tool use without its result',
      sampling({ messages: [{ role: 'assistant', content: { type: 'tool_use', id: '1', name: 't', input: {} } }] }),
    ],
    [
      'a tool result without its use',
      sampling({ messages: [{ role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } }] }),
    ],
  ])('refuses %s with -32602 and calls no handler [e-schema-07, e-schema-37]', async (_, inputRequest) => {
    const seen: string[] = [];
    const see = <T>(handler: string, answer: T): T => {
      seen.push(handler);
      return answer;
    };
    const answers = {
      elicitForm: () => see('elicitForm', { action: 'decline' as const }),
      sample: () => see('sample', spoken),
    };
    const { responses, failure } = await answered({ a: inputRequest }, answers);
    expect(failure).toMatchObject({ code: 'server-request-failed', cause: { code: -32602 } });
    expect([responses, seen]).toEqual([undefined, []]);
  });

  it.each(['http://a.example', 'a/b', 'files:///a', ' file:///a', 'https://a.example/file:///a', ''])(
    'refuses to send a root at %j [e-schema-47]',
    async (uri) => {
      const { responses, failure } = await answered(
        { a: { method: 'roots/list' } },
        { roots: () => [{ uri: 'file:///home' }, { uri }] },
      );
      expect(failure).toMatchObject({ code: 'invalid-outgoing-message' });
      expect(responses).toBeUndefined();
    },
  );

  it.each([
    ['decline', { action: 'decline' }],
    ['cancel', { action: 'cancel' }],
  ] as const)('sends no content along with %s [e-schema-50]', async (action, expected) => {
    const { responses } = await answered(
      { a: elicitation(form) },
      { elicitForm: () => ({ action, content: { name: 'x' } }) },
    );
    expect(responses).toEqual({ a: expected });
  });

  it('sends no content in a response to a URL elicitation [e-schema-50]', async () => {
    const { responses } = await answered(
      { a: elicitation({ mode: 'url', message: 'Open', url: 'https://a.example' }) },
      { elicitUrl: () => ({ action: 'accept', content: { name: 'x' } }) },
    );
    expect(responses).toEqual({ a: { action: 'accept' } });
  });

  it('sends strings, numbers, booleans and arrays of strings as content [e-schema-50]', async () => {
    const content = { name: 'a', count: 1.5, sure: false, list: ['a', 'b'] };
    const { responses } = await answered(
      { a: elicitation(form) },
      { elicitForm: () => ({ action: 'accept', content }) },
    );
    expect(responses).toEqual({ a: { action: 'accept', content } });
  });

  it.each([{ other: { a: 1 } }, { other: null }, { other: [1] }, { other: [['a']] }, { name: 5 }])(
    'does not send %j as content [e-schema-50]',
    async (content) => {
      const { responses, failure } = await answered(
        { a: elicitation(form) },
        { elicitForm: () => ({ action: 'accept', content: content as never }) },
      );
      expect(failure).toMatchObject({ code: 'invalid-outgoing-message' });
      expect(responses).toBeUndefined();
    },
  );
});

describe('a server that returns an input-required result', () => {
  const all = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

  it('writes each input request as a method and its params, and nothing more [e-schema-12]', async () => {
    const { result } = await requested(
      (context) =>
        context.requestInput({
          form: { ...form },
          page: { message: 'Open', url: 'https://a.example' },
          model: { messages: [words], maxTokens: 1 },
          roots: 'roots',
        }),
      all,
    );
    const { inputRequests } = result as { inputRequests: Record<string, Json> };
    expect(Object.keys(inputRequests)).toEqual(['form', 'page', 'model', 'roots']);
    for (const inputRequest of Object.values(inputRequests)) {
      expect(['method', 'method,params']).toContain(Object.keys(inputRequest).sort().join());
      expect((inputRequest.params as Json | undefined)?._meta).toBeUndefined();
    }
  });

  it.each([
    [
      'a tool result without a tool use',
      [{ role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } }],
    ],
    [
      'a tool result of another tool use',
      [
        { role: 'assistant', content: { type: 'tool_use', id: '1', name: 't', input: {} } },
        { role: 'user', content: { type: 'tool_result', toolUseId: '2', content: [] } },
      ],
    ],
    [
      'a tool result of a tool use before the last message',
      [
        { role: 'assistant', content: { type: 'tool_use', id: '1', name: 't', input: {} } },
        { role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } },
        { role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } },
      ],
    ],
  ])('sends no sampling request with %s [e-schema-39]', async (_, messages) => {
    const answer = await requested(
      (context) => context.sample('a', { messages: messages as never, maxTokens: 1 }).catch(({ code }) => code),
      all,
    );
    expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'invalid-outgoing-message' }] });
  });

  it.each<[string, (context: Context) => Promise<unknown>, Json, Json]>([
    ['a form', ({ elicit }) => elicit('a', form), {}, { elicitation: { form: {} } }],
    [
      'a form of a client with URL elicitation only',
      ({ elicit }) => elicit('a', form),
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
    ],
    [
      'a URL elicitation',
      ({ elicit }) => elicit('a', { message: 'Open', url: 'https://a.example' }),
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
    ],
    ['sampling', ({ sample }) => sample('a', { messages: [], maxTokens: 1 }), { roots: {} }, { sampling: {} }],
    [
      'sampling with tools',
      ({ sample }) => sample('a', { messages: [], maxTokens: 1, tools: [{ name: 't', inputSchema: empty }] }),
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    ['roots', ({ listRoots: roots }) => roots(), { sampling: {} }, { roots: {} }],
  ])('and needs %s names the undeclared capability with -32021 [e-meta-14]', async (_, run, declared, missing) => {
    const { error, result } = await requested(run, declared);
    expect(result).toBeUndefined();
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: missing } });
  });
});
