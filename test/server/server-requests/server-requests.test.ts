/** The kinds of server requests: form and URL elicitation, sampling and roots. */
import type { Context } from 'tenon/server';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { allModes, formModes, opened, run } from '../../kit/server-request-modes.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';

const json = (value: unknown): string => JSON.stringify(value);
const sampled = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hi' } };
const message = { role: 'user' as const, content: { type: 'text' as const, text: 'hi' } };

describe.each(formModes)('A form, $name', (mode) => {
  const choices = z.object({
    name: z.string(),
    size: z.enum(['s', 'm']).default('m'),
    urgent: z.boolean().default(false),
  });

  it('is answered by accept with typed content and defaults filled in, decline or cancel [S10, e-elicit-33, s-elicitation-07]', async () => {
    for (const [answer, received] of [
      [
        { action: 'accept', content: { name: 'Ada' } },
        { action: 'accept', content: { name: 'Ada', size: 'm', urgent: false } },
      ],
      [{ action: 'decline' }, { action: 'decline' }],
      [{ action: 'cancel' }, { action: 'cancel' }],
    ] as const) {
      const { client } = await opened(
        mode,
        async (context) => json(await context.elicit('q', { message: 'Who?', schema: choices })),
        { handlers: { elicitForm: () => answer } },
      );
      expect(await run(client)).toBe(json(received));
    }
  });

  it('with invalid content is not sent, and the client gets the error', async () => {
    const warnings: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => (await context.elicit('q', { message: 'Who?', schema: choices })).action,
      {
        handlers: { elicitForm: () => ({ action: 'accept', content: { name: 5 as never } }) },
        onWarning: (error) => warnings.push(error),
      },
    );
    const result = await client.tools.call('it').catch((error) => error);
    expect([result, ...warnings]).toContainEqual(expect.objectContaining({ code: 'invalid-outgoing-message' }));
  });

  it.each<[string, z.ZodType]>([
    ['a nested object', z.object({ deep: z.object({ a: z.string() }) })],
    ['an array of any strings', z.object({ list: z.array(z.string()) })],
    ['a format that forms do not support', z.object({ id: z.uuid() })],
    ['a schema that is no object', z.string()],
  ])(
    'with %s fails as invalid-outgoing-message before it is sent [e-elicit-16, e-elicit-17, s-elicitation-15]',
    async (_name, schema) => {
      let requested = 0;
      const { client } = await opened(
        mode,
        (context) =>
          context.elicit('q', { message: 'Who?', schema }).then(
            () => 'answered',
            (error) => error.code,
          ),
        { handlers: { elicitForm: () => ({ action: 'cancel', ...(requested++ && {}) }) } },
      );
      expect(await run(client)).toBe('invalid-outgoing-message');
      expect(requested).toBe(0);
    },
  );
});

describe.each(formModes.filter(({ revision }) => revision !== '2025-06-18'))('A form with choices, $name', (mode) => {
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      one: {
        type: 'string' as const,
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
      },
      many: {
        type: 'array' as const,
        items: { type: 'string' as const, enum: ['x', 'y'] },
        maxItems: 1,
        default: ['x'],
      },
    },
  };

  it.each<[Json, string]>([
    [{ one: 'r', many: ['y'] }, '{"action":"accept","content":{"one":"r","many":["y"]}}'],
    [{ one: 'g' }, '{"action":"accept","content":{"one":"g","many":["x"]}}'],
  ])('accepts %j', async (content, text) => {
    const { client } = await opened(
      mode,
      async (context) => json(await context.elicit('q', { message: 'Which?', requestedSchema })),
      { handlers: { elicitForm: () => ({ action: 'accept', content: content as never }) } },
    );
    expect(await run(client)).toBe(text);
  });

  it.each<Json>([{ one: 'Red' }, { many: ['z'] }, { many: ['x', 'y'] }])('rejects %j', async (content) => {
    const { client } = await opened(
      mode,
      async (context) => (await context.elicit('q', { message: 'Which?', requestedSchema })).action,
      { handlers: { elicitForm: () => ({ action: 'accept', content: content as never }) } },
    );
    const result = await client.tools.call('it').catch((error) => error);
    expect('code' in result || result.isError).toBeTruthy();
  });

  it('a URL elicitation is not fetched, and content in its answer is dropped [e-elicit-19, e-elicit-21, e-elicit-23, e-elicit-41, s-elicitation-55]', async () => {
    const seen: unknown[] = [];
    const fetched = vi.spyOn(globalThis, 'fetch');
    const { client } = await opened(
      mode,
      async (context) => json(await context.elicit('pay', { message: 'Pay', url: 'https://pay.example/1' })),
      {
        handlers: {
          elicitUrl: (request) => {
            seen.push(request);
            return { action: 'accept', content: { secret: 'x' } };
          },
        },
      },
    );
    expect(await run(client)).toBe('{"action":"accept"}');
    expect(seen).toMatchObject([{ mode: 'url', message: 'Pay', url: 'https://pay.example/1' }]);
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  it('a URL elicitation without a valid URL fails as invalid-outgoing-message before it is sent [e-elicit-20, s-elicitation-18]', async () => {
    const { client } = await opened(
      mode,
      (context) =>
        context.elicit('pay', { message: 'Pay', url: 'not one' }).then(
          () => 'answered',
          (error) => error.code,
        ),
      { handlers: { elicitUrl: () => ({ action: 'accept' }) } },
    );
    expect(await run(client)).toBe('invalid-outgoing-message');
  });
});

it('A URL elicitation in a session has an id: the same in every round, another in every call [s-elicitation-17, s-elicitation-20]', async () => {
  for (const mode of formModes.filter(({ revision }) => revision === '2025-11-25')) {
    const ids: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        await context.elicit('a', { message: 'A', url: 'https://a.example' });
        await context.elicit('b', { message: 'B', url: 'https://b.example' });
        return 'done';
      },
      {
        handlers: {
          elicitUrl: ({ elicitationId }) => {
            ids.push(elicitationId);
            return { action: 'accept' };
          },
        },
      },
    );
    expect(await run(client)).toBe('done');
    expect(await run(client)).toBe('done');
    expect(ids.every((id) => typeof id === 'string')).toBe(true);
    expect(new Set(ids).size).toBe(4);
  }
});

describe.each(allModes)('Sampling and roots, $name', (mode) => {
  it('work in every revision with clients that declare them [S09, S11, s-sampling-07, s-roots-01]', async () => {
    const requested: unknown[] = [];
    const wanted = {
      messages: [message],
      maxTokens: 5,
      systemPrompt: 'Be brief',
      includeContext: 'none' as const,
      temperature: 0.5,
      stopSequences: ['.'],
      metadata: { a: 1 },
      modelPreferences: { hints: [{ name: 'small' }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
    };
    const { client } = await opened(
      mode,
      async (context) => {
        const answer = await context.sample('s', wanted);
        return json([answer.model, answer.content, await context.listRoots()]);
      },
      {
        handlers: {
          sample: (request) => {
            requested.push(request);
            return sampled;
          },
          roots: () => [{ uri: 'file:///home/a', name: 'a' }],
        },
      },
    );
    expect(await run(client)).toBe('["m",{"type":"text","text":"hi"},[{"uri":"file:///home/a","name":"a"}]]');
    expect(requested).toMatchObject([wanted]);
  });

  it.each(['https://a.example', 'file:///a/../b', 'file:///a/%2e%2E/b', '/home', 'file:///a%2f..%2fb'])(
    'a client does not send the root %s [e-roots-04, s-roots-03, s-roots-07]',
    async (uri) => {
      const { client } = await opened(mode, async (context) => json(await context.listRoots()), {
        handlers: { roots: () => [{ uri }] },
      });
      const result = await client.tools.call('it').catch((error) => error);
      expect(result.code === 'invalid-outgoing-message' || result.isError).toBe(true);
    },
  );
});

const use = { type: 'tool_use' as const, id: 'u1', name: 't', input: {} };
const useResult = { type: 'tool_result' as const, toolUseId: 'u1', content: [] };
const tools = [{ name: 't', inputSchema: { type: 'object' as const } }];

describe.each(formModes.filter(({ revision }) => revision !== '2025-06-18'))('Sampling with tools, $name', (mode) => {
  const sampling = (params: object) => (context: Context) =>
    context.sample('s', { messages: [message], maxTokens: 1, ...params }).then(
      ({ content }) => json(content),
      (error) => error.code,
    );

  it('is sent only to clients that declared sampling.tools [e-sampling-05, e-sampling-06, s-sampling-05, s-sampling-06]', async () => {
    for (const [sampleTools, received] of [
      [true, json(sampled.content)],
      [false, 'capability-not-supported'],
    ] as const) {
      for (const params of [{ tools }, { toolChoice: { mode: 'auto' } }]) {
        const { client } = await opened(mode, sampling(params), {
          handlers: { sample: () => sampled, samplingTools: sampleTools },
        });
        expect(await run(client)).toBe(received);
      }
    }
  });

  it.each<[string, object[]]>([
    [
      'mixes tool results with text',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: [useResult, message.content] },
      ],
    ],
    ['lacks a tool result', [{ role: 'assistant', content: [use] }, message]],
    ['ends in a tool use', [message, { role: 'assistant', content: use }]],
    ['has a tool result without its tool use', [{ role: 'user', content: [useResult] }]],
  ])(
    'is not sent if the conversation %s [e-sampling-10, e-sampling-11, e-sampling-26, s-sampling-10, s-sampling-11, s-sampling-24, s-sampling-32]',
    async (_name, messages) => {
      const { client } = await opened(mode, sampling({ messages, tools }), {
        handlers: { sample: () => sampled, samplingTools: true },
      });
      expect(await run(client)).toBe('invalid-outgoing-message');
    },
  );

  it('continues with results for all tool uses', async () => {
    const messages = [message, { role: 'assistant', content: [use] }, { role: 'user', content: [useResult] }];
    const { client } = await opened(mode, sampling({ messages, tools }), {
      handlers: { sample: () => sampled, samplingTools: true },
    });
    expect(await run(client)).toBe(json(sampled.content));
  });

  it.each([
    ['required', sampled],
    ['none', { ...sampled, content: use }],
  ] as const)(
    'with an answer that violates the tool choice %s fails [s-sampling-12, s-sampling-13]',
    async (choice, answer) => {
      const { client } = await opened(mode, sampling({ tools, toolChoice: { mode: choice } }), {
        handlers: { sample: () => answer, samplingTools: true },
      });
      const result = await run(client).catch((error) => error.code);
      expect(['invalid-outgoing-message', 'server-request-failed']).toContain(result);
    },
  );
});
