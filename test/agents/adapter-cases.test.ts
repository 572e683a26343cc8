/** The adapters where calls go wrong: errors, odd calls of a model, and schemas that would harm a framework. */
import { createServer, tool } from 'tenon';
import {
  type AdapterOptions,
  createToolkit,
  type Toolkit,
  toAiSdk,
  toAnthropic,
  toLangChain,
  toMastra,
  toOpenAI,
  toOpenAIAgents,
} from 'tenon/agents';
import { createHost } from 'tenon/host';
import { fromJsonSchema } from 'tenon/json-schema';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sampleHost } from './sample-host.ts';

function kitOf() {
  const sample = sampleHost();
  onTestFinished(() => sample.host.close());
  return { ...sample, kit: createToolkit(sample.host) };
}

it('Chat Completions: a call without a type is run, as some servers of the API write it, and one of another kind is not', async () => {
  const { kit } = kitOf();
  const { run } = await toOpenAI(kit, { api: 'chat' });
  const named = { name: 'mail__send', arguments: '{"to":"ada"' };
  const answers = await run([
    { id: 'call-1', function: named },
    { id: 'call-2', type: 'custom', custom: { name: 'mail__send', input: 'ada' } },
  ]);
  expect(answers).toEqual([
    { role: 'tool', tool_call_id: 'call-1', content: expect.stringContaining('are not valid JSON') },
  ]);
});

it('Anthropic: a failed call throws the ToolError of the SDK with its content, or an error with its text', async () => {
  const { kit } = kitOf();
  class SdkError extends Error {
    readonly content: unknown;
    constructor(content: unknown) {
      super('of the SDK');
      this.content = content;
    }
  }
  const failing = async (options: object) => {
    const tools = await toAnthropic(kit, options);
    return tools.find(({ name }) => name === 'mail__fail')?.run({}, { toolUse: { id: '1' } });
  };
  await expect(failing({ ToolError: SdkError })).rejects.toMatchObject({
    content: expect.arrayContaining([{ type: 'text', text: 'The mailbox is full' }]),
  });
  await expect(failing({})).rejects.toThrow('The mailbox is full');
});

it('LangChain gets no pattern of a server, which it would run itself; ours checks it without that danger', async () => {
  const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] };
  const tools = { evil: tool({ inputSchema: fromJsonSchema(evil) }, () => 'ran') };
  const host = createHost({
    servers: { s: createServer({ name: 's', version: '1.0.0', tools }) },
    consent: 'allow-all',
  });
  onTestFinished(() => host.close());
  const kit = createToolkit(host);
  const made = await toLangChain(kit, { tool: (run, fields) => ({ run, fields }), ToolMessage: Object as never });
  const one = made.find(({ fields }) => fields.name === 's__evil');
  expect(one?.fields).toMatchObject({
    schema: { properties: { a: { type: 'string', description: '(pattern: "^(a+)+$")' } }, required: ['a'] },
    // The model reads what is wrong.
    verboseParsingErrors: true,
  });
  expect(JSON.stringify(one?.fields.schema)).not.toContain('"pattern"');
  const message = await one?.run({ a: `${'a'.repeat(60)}!` }, {});
  expect(JSON.stringify(message)).toContain('does not match the pattern');
});

describe('a framework with models of several providers', () => {
  const name = 's__list';
  const schemas: Readonly<Record<string, (kit: Toolkit, options?: AdapterOptions) => Promise<unknown>>> = {
    'AI SDK': async (kit, options) => shown((await toAiSdk(kit, options))[name]),
    Mastra: async (kit, options) => shown((await toMastra(kit, options))[name]),
    'OpenAI Agents': async (kit, options) =>
      (await toOpenAIAgents(kit, options).listTools()).find((one) => one.name === name)?.inputSchema,
    LangChain: async (kit, options) => {
      const tools = await toLangChain(kit, {
        tool: (_run, fields) => fields,
        ToolMessage: Object as never,
        ...options,
      });
      return tools.find((one) => one.name === name)?.schema;
    },
  };
  const shown = (made: { inputSchema: { '~standard': { jsonSchema: { input(): unknown } } } } | undefined) =>
    made?.inputSchema['~standard'].jsonSchema.input();
  const folder = { type: 'object', properties: { parent: { $ref: '#/$defs/folder' } } };
  const listed = {
    type: 'object',
    properties: {
      // As OData has it.
      $filter: { type: 'string' },
      folder: { $ref: '#/$defs/folder' },
      word: { type: 'string', not: { pattern: '^a' } },
    },
    $defs: { folder },
  };
  const listing = () => {
    const tools = { list: tool({ inputSchema: fromJsonSchema(listed) }, (args) => JSON.stringify(args)) };
    const s = createServer({ name: 's', version: '1.0.0', tools });
    const host = createHost({ servers: { s }, consent: 'allow-all' });
    onTestFinished(() => host.close());
    return createToolkit(host);
  };

  it.each(Object.entries(schemas))('%s gets schemas that the API of the model takes', async (_framework, schemaFor) => {
    const kit = listing();
    const usual = JSON.stringify(await schemaFor(kit));
    expect([usual.includes('$filter'), usual.includes('$ref')]).toEqual([true, true]);
    // Anthropic refuses every request with that name.
    const claude = JSON.stringify(await schemaFor(kit, { target: 'anthropic' }));
    expect([claude.includes('$filter'), claude.includes('$ref')]).toEqual([false, true]);
    // Gemini refuses every request with a reference.
    const gemini = JSON.stringify(await schemaFor(kit, { target: 'google' }));
    expect([gemini.includes('$filter'), gemini.includes('$ref')]).toEqual([true, false]);
  });

  it('LangChain, which checks arguments itself, gets no `not` without its pattern: it would refuse every word', async () => {
    const kit = listing();
    for (const target of [undefined, 'anthropic', 'google'] as const)
      expect(JSON.stringify(await schemas['LangChain']?.(kit, target && { target }))).not.toMatch(/"(?:not|pattern)":/);
  });
});
