/** The kinds of questions: forms, pages, models and roots. */
import type { Context } from 'tenon/server';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../kit/channel/raw-connection.ts';
import { allModes, formModes, opened, run } from '../../kit/server-request-modes.ts';

const shown = (value: unknown): string => JSON.stringify(value);
const sampled = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hi' } };
const message = { role: 'user' as const, content: { type: 'text' as const, text: 'hi' } };

describe.each(formModes)('A form, $name', (mode) => {
  const choices = z.object({
    name: z.string(),
    size: z.enum(['s', 'm']).default('m'),
    news: z.boolean().default(false),
  });

  it('is answered by accept with typed content and defaults filled in, decline or cancel [S10, e-elicit-33, s-elicitation-07]', async () => {
    for (const [answer, received] of [
      [
        { action: 'accept', content: { name: 'Ada' } },
        { action: 'accept', content: { name: 'Ada', size: 'm', news: false } },
      ],
      [{ action: 'decline' }, { action: 'decline' }],
      [{ action: 'cancel' }, { action: 'cancel' }],
    ] as const) {
      const { client } = await opened(
        mode,
        async (context) => shown(await context.elicit('q', { message: 'Who?', schema: choices })),
        { handlers: { elicitForm: () => answer } },
      );
      expect(await run(client)).toBe(shown(received));
    }
  });

  it('that is filled in wrongly is not sent, and the user of the client hears of it', async () => {
    const faults: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => (await context.elicit('q', { message: 'Who?', schema: choices })).action,
      {
        handlers: { elicitForm: () => ({ action: 'accept', content: { name: 5 as never } }) },
        onWarning: (error) => faults.push(error),
      },
    );
    const result = await client.tools.call('it').catch((error) => error);
    expect([result, ...faults]).toContainEqual(expect.objectContaining({ code: 'invalid-outgoing-message' }));
  });

  it.each<[string, z.ZodType]>([
    ['an object in it', z.object({ deep: z.object({ a: z.string() }) })],
    ['a free list in it', z.object({ list: z.array(z.string()) })],
    ['a format that forms do not have', z.object({ id: z.uuid() })],
    ['no object', z.string()],
  ])(
    'with %s fails by name before anything is asked [e-elicit-16, e-elicit-17, s-elicitation-15]',
    async (_what, schema) => {
      let requested = 0;
      const { client } = await opened(
        mode,
        (context) =>
          context.elicit('q', { message: 'Who?', schema }).then(
            () => 'asked',
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
  ])('takes %j', async (content, text) => {
    const { client } = await opened(
      mode,
      async (context) => shown(await context.elicit('q', { message: 'Which?', requestedSchema })),
      { handlers: { elicitForm: () => ({ action: 'accept', content: content as never }) } },
    );
    expect(await run(client)).toBe(text);
  });

  it.each<Json>([{ one: 'Red' }, { many: ['z'] }, { many: ['x', 'y'] }])('does not take %j', async (content) => {
    const { client } = await opened(
      mode,
      async (context) => (await context.elicit('q', { message: 'Which?', requestedSchema })).action,
      { handlers: { elicitForm: () => ({ action: 'accept', content: content as never }) } },
    );
    const result = await client.tools.call('it').catch((error) => error);
    expect('code' in result || result.isError).toBeTruthy();
  });

  it('a page is opened by consent alone, and content that comes with it is dropped [e-elicit-19, e-elicit-21, e-elicit-23, e-elicit-41, s-elicitation-55]', async () => {
    const seen: unknown[] = [];
    const fetched = vi.spyOn(globalThis, 'fetch');
    const { client } = await opened(
      mode,
      async (context) => shown(await context.elicit('pay', { message: 'Pay', url: 'https://pay.example/1' })),
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

  it('a page without a valid URL fails by name before anything is asked [e-elicit-20, s-elicitation-18]', async () => {
    const { client } = await opened(
      mode,
      (context) =>
        context.elicit('pay', { message: 'Pay', url: 'not one' }).then(
          () => 'asked',
          (error) => error.code,
        ),
      { handlers: { elicitUrl: () => ({ action: 'accept' }) } },
    );
    expect(await run(client)).toBe('invalid-outgoing-message');
  });
});

it('A page has an id of its own in a session: the same in every round, another in every call [s-elicitation-17, s-elicitation-20]', async () => {
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

describe.each(allModes)('Models and roots, $name', (mode) => {
  it('are asked in every revision, of clients that declare them [S09, S11, s-sampling-07, s-roots-01]', async () => {
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
        return shown([answer.model, answer.content, await context.listRoots()]);
      },
      {
        handlers: {
          sample: (question) => {
            requested.push(question);
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
      const { client } = await opened(mode, async (context) => shown(await context.listRoots()), {
        handlers: { roots: [{ uri }] },
      });
      const result = await client.tools.call('it').catch((error) => error);
      expect(result.code === 'invalid-outgoing-message' || result.isError).toBe(true);
    },
  );
});

const use = { type: 'tool_use' as const, id: 'u1', name: 't', input: {} };
const usage = { type: 'tool_result' as const, toolUseId: 'u1', content: [] };
const tools = [{ name: 't', inputSchema: { type: 'object' as const } }];

describe.each(formModes.filter(({ revision }) => revision !== '2025-06-18'))('A model with tools, $name', (mode) => {
  const requesting = (question: object) => (context: Context) =>
    context.sample('s', { messages: [message], maxTokens: 1, ...question }).then(
      ({ content }) => shown(content),
      (error) => error.code,
    );

  it('is asked only where the client declared it [e-sampling-05, e-sampling-06, s-sampling-05, s-sampling-06]', async () => {
    for (const [sampleTools, received] of [
      [true, shown(sampled.content)],
      [false, 'capability-not-supported'],
    ] as const) {
      for (const question of [{ tools }, { toolChoice: { mode: 'auto' } }]) {
        const { client } = await opened(mode, requesting(question), {
          handlers: { sample: () => sampled, samplingTools: sampleTools },
        });
        expect(await run(client)).toBe(received);
      }
    }
  });

  it.each<[string, object[]]>([
    [
      'mixes results with text',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: [usage, message.content] },
      ],
    ],
    ['lacks a result', [{ role: 'assistant', content: [use] }, message]],
    ['ends in a tool use', [message, { role: 'assistant', content: use }]],
    ['has a result of nothing', [{ role: 'user', content: [usage] }]],
  ])(
    'is not asked to go on where the conversation %s [e-sampling-10, e-sampling-11, e-sampling-26, s-sampling-10, s-sampling-11, s-sampling-24, s-sampling-32]',
    async (_what, messages) => {
      const { client } = await opened(mode, requesting({ messages, tools }), {
        handlers: { sample: () => sampled, samplingTools: true },
      });
      expect(await run(client)).toBe('invalid-outgoing-message');
    },
  );

  it('goes on with results for all of its uses', async () => {
    const messages = [message, { role: 'assistant', content: [use] }, { role: 'user', content: [usage] }];
    const { client } = await opened(mode, requesting({ messages, tools }), {
      handlers: { sample: () => sampled, samplingTools: true },
    });
    expect(await run(client)).toBe(shown(sampled.content));
  });

  it.each([
    ['required', sampled],
    ['none', { ...sampled, content: use }],
  ] as const)(
    'that does not keep to the choice %s is not passed on [s-sampling-12, s-sampling-13]',
    async (choice, answer) => {
      const { client } = await opened(mode, requesting({ tools, toolChoice: { mode: choice } }), {
        handlers: { sample: () => answer, samplingTools: true },
      });
      const result = await run(client).catch((error) => error.code);
      expect(['invalid-outgoing-message', 'server-request-failed']).toContain(result);
    },
  );
});
