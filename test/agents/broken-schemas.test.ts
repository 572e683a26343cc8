/** A server of the official SDK with 20 broken schemas: every adapter has the other tools, and every error names its tool. */

import { connect } from 'tenon';
import {
  createToolkit,
  type SchemaTarget,
  type Toolkit,
  toAiSdk,
  toAnthropic,
  toLangChain,
  toMastra,
  toOpenAI,
  toOpenAIAgents,
} from 'tenon/agents';
import { createHost } from 'tenon/host';
import { afterAll, describe, expect, it } from 'vitest';

const broken = { command: process.execPath, args: ['test/agents/fixtures/broken-schemas.mjs'] };
const host = createHost({ servers: { broken }, consent: 'allow-all', onWarning: () => {} });
const kit = createToolkit(host, { context: { maxTokens: 100_000 } });
afterAll(() => kit.close().then(() => host.close()));

const good = ['read', 'write'];
/** Lowering repairs them. */
const repaired = ['endless_reference', 'lost_reference', 'pattern_wrong'];
const leftOut = [
  'deep',
  'description_number',
  'empty',
  'enum_empty',
  'huge',
  'list_schema',
  'min_text',
  'missing',
  'no_type',
  'null_schema',
  'number_schema',
  'properties_list',
  'required_text',
  'root_list',
  'root_string',
  'true_schema',
  'unknown_type',
];
const ownNames = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith('broken__') ? [name.slice('broken__'.length)] : [])).sort();

class Message {
  readonly kind = 'tool';
}
const adapters: Readonly<Record<string, (kit: Toolkit) => Promise<string[]>>> = {
  Anthropic: async (one) => (await toAnthropic(one)).map(({ name }) => name),
  'the Responses API': async (one) => (await toOpenAI(one, { strict: true })).tools.map(({ name }) => name),
  'Chat Completions': async (one) => (await toOpenAI(one, { api: 'chat' })).tools.map((tool) => tool.function.name),
  'OpenAI Agents': async (one) => (await toOpenAIAgents(one).listTools()).map(({ name }) => name),
  'the AI SDK': async (one) => Object.keys(await toAiSdk(one)),
  LangChain: (one) => toLangChain(one, { tool: (_run, { name }) => name, ToolMessage: Message }),
  Mastra: async (one) => Object.keys(await toMastra(one)),
};

describe('one bad schema never fails a list', () => {
  it.each(Object.entries(adapters))('of %s', async (_name, namesOf) => {
    expect(ownNames(await namesOf(kit))).toEqual([...good, ...repaired].sort());
  });

  it.each(['any', 'anthropic', 'openai', 'openai-strict', 'google'] as const satisfies readonly SchemaTarget[])(
    'for %s, whose errors name each tool that was left out, and why',
    async (target) => {
      const { errors } = await kit.list(target);
      const texts = errors.map(({ text }) => /^The tool (\w+) is left out: .{10,}\.$/.exec(text)?.[1] ?? text);
      expect(texts.sort()).toEqual(leftOut);
      expect(await kit.list(target)).toBe(await kit.list(target));
    },
  );

  it('of a host, and the tools can be called', async () => {
    const { items, errors } = await host.tools.list();
    expect([items.length, errors.length > 5]).toEqual([11, true]);
    expect(errors[0]).toMatchObject({ server: 'broken', error: { code: 'invalid-result' } });
    const outcome = await kit.call({ id: '1', name: 'broken__read', arguments: { value: 'x' } });
    expect(outcome).toMatchObject({ isError: false, text: 'read ran' });
  });

  it('of a client, which warns; in strict mode the list fails', async () => {
    const warnings: string[] = [];
    await using client = await connect(broken, { onWarning: ({ message }) => warnings.push(message) });
    expect(await client.tools.list().all()).toHaveLength(11);
    expect(warnings[0]).toMatch(/^The tool root_string is left out: its inputSchema does not have the type "object"/);
    await using own = createToolkit(client);
    expect((await own.list()).errors).toHaveLength(leftOut.length);
    await using strict = await connect(broken, { strict: true, onWarning: () => {} });
    await expect(strict.tools.list().all()).rejects.toMatchObject({ code: 'invalid-result' });
  });
});
