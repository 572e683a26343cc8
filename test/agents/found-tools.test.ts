/** Too many tools for the budget: the model finds them, and calls what it has found. */
import { createServer, tool } from 'tenon';
import { createToolkit, toAiSdk, toAnthropic, toLangChain, toMastra, toOpenAI, toOpenAIAgents } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** 60 tools of two servers. */
function manyTools() {
  const things = ['invoice', 'customer', 'order', 'branch', 'issue', 'release'];
  const verbs = ['create', 'list', 'update', 'delete', 'export'];
  const tools = Object.fromEntries(
    things.flatMap((thing) =>
      verbs.map((verb) => [
        `${verb}_${thing}`,
        tool(
          { description: `Can ${verb} one ${thing}`, inputSchema: z.object({ id: z.string() }) },
          ({ id }) => `${verb} ${id}`,
        ),
      ]),
    ),
  );
  const shop = createServer({ name: 'shop', version: '1.0.0', tools });
  const code = createServer({ name: 'code', version: '1.0.0', tools });
  return createHost({ servers: { shop, code }, consent: 'allow-all' });
}
const small = { context: { maxTokens: 1500, pinned: ['shop__list_order'] } };
const namesOf = (tools: ReadonlyArray<{ name: string }>) => tools.map(({ name }) => name);

describe('a model with more tools than its budget', () => {
  it('has its own tools and the pinned ones, and by name what it has found', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    const first = await kit.list();
    const sent = first.tools.filter(({ deferred }) => !deferred);
    expect(namesOf(sent)).toEqual(['find_tools', 'read_more', 'shop__list_order']);
    expect([first.tools.length, first.tokens < 1500]).toEqual([62, true]);
    const search = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'remove an invoice', limit: 2 } });
    expect(search).toMatchObject({ isError: false, found: expect.arrayContaining(['shop__delete_invoice']) });
    const second = await kit.list();
    expect(second.changed).toBe(true);
    expect(namesOf(second.tools).slice(0, 3)).toEqual(namesOf(sent));
    expect(namesOf(second.tools.filter(({ deferred }) => !deferred))).toContain('shop__delete_invoice');
    expect(await kit.list()).toMatchObject({ changed: false });
  });

  it('gets the schema when it calls a tool wrongly that it has not seen', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    await kit.list();
    const outcome = await kit.call({ id: '1', name: 'shop__create_order', arguments: {} });
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('"required":["id"]') });
  });

  it('is searched by a program, too', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    expect(namesOf(await kit.search('make a new release', 3))).toContain('code__create_release');
  });
});

describe('a found tool reaches the model', () => {
  it('of Anthropic by a reference to a deferred one', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    const tools = await toAnthropic(kit);
    expect(tools).toHaveLength(62);
    expect(namesOf(tools.filter((one) => one.defer_loading !== true))).toEqual([
      'find_tools',
      'read_more',
      'shop__list_order',
    ]);
    const content = await tools[0]?.run({ query: 'delete an invoice', limit: 1 });
    expect(content).toEqual([{ type: 'tool_reference', tool_name: expect.stringMatching(/__delete_invoice$/) }]);
    // The list stays the same, so that the prompt can be cached.
    expect(namesOf(await toAnthropic(kit))).toEqual(namesOf(tools));
  });

  it('of the Responses API by its tool search', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    const { tools, run } = await toOpenAI(kit, { found: 'native' });
    expect(tools).toEqual([
      {
        type: 'tool_search',
        execution: 'client',
        description: expect.stringContaining('delete_invoice'),
        parameters: expect.objectContaining({ type: 'object' }),
      },
      expect.objectContaining({ name: 'read_more' }),
      expect.objectContaining({ name: 'shop__list_order' }),
    ]);
    const search = { type: 'tool_search_call', id: 'ts_1', status: 'completed', created_by: 'model' };
    const query = { query: 'delete an invoice', limit: 1 };
    const outputs = await run([
      { ...search, call_id: 'call_1', execution: 'client', arguments: query },
      { type: 'function_call', call_id: 'call_2', name: 'shop__list_order', arguments: '{"id":"7"}' },
      // The API executed this one itself.
      { ...search, call_id: null, execution: 'server', arguments: query },
      { ...search, call_id: 'call_3', execution: 'client', arguments: JSON.stringify({ query: 'xylophone' }) },
    ]);
    const found = { type: 'function', name: expect.stringMatching(/__delete_invoice$/), defer_loading: true };
    const output = { type: 'tool_search_output', execution: 'client', status: 'completed' };
    expect(outputs).toEqual([
      { ...output, call_id: 'call_1', tools: [expect.objectContaining(found)] },
      { type: 'function_call_output', call_id: 'call_2', output: 'list 7' },
      { ...output, call_id: 'call_3', tools: [] },
    ]);
    // The list stays the same, so that the prompt can be cached.
    expect((await toOpenAI(kit, { found: 'native' })).tools).toEqual(tools);
    expect(await kit.list('openai', { found: 'native' })).toMatchObject({ changed: false });
    await expect(toOpenAI(kit, { api: 'chat', found: 'native' } as never)).rejects.toThrow(
      /Chat Completions has no tool/,
    );
  });

  it('of the Agents SDK in the next list', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    const server = toOpenAIAgents(kit);
    expect(namesOf(await server.listTools())).toEqual(['find_tools', 'read_more', 'shop__list_order']);
    await server.callTool('find_tools', { query: 'delete an invoice', limit: 1 });
    expect(namesOf(await server.listTools())).toHaveLength(4);
    // Otherwise the SDK logs an error for each tool and turn.
    for (const { inputSchema } of await server.listTools())
      expect(inputSchema).toMatchObject({ type: 'object', required: expect.any(Array), additionalProperties: false });
  });

  it('of the AI SDK by its `toolSearch`', async () => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    let search: ((options: { query: string }) => Promise<string[]>) | undefined;
    // The AI SDK knows its search by a symbol.
    const mark = Symbol('search');
    const tools = await toAiSdk(kit, {
      toolSearch: (options) => {
        search = options.search;
        return { description: 'Searches.', [mark]: true };
      },
    });
    expect(tools.find_tools).toMatchObject({
      description: expect.stringMatching(/^Searches\. Directory, by server:\n.*create_invoice/s),
      [mark]: true,
    });
    expect(Object.keys(tools)).toHaveLength(62);
    expect(tools.code__create_release).toMatchObject({ deferLoading: true });
    expect(await search?.({ query: 'make a new release' })).toContain('code__create_release');
  });

  it.each([
    [
      'Chat Completions',
      async (kit: never) => (await toOpenAI(kit, { api: 'chat' })).tools.map((one) => one.function.name),
    ],
    ['the Responses API', async (kit: never) => namesOf((await toOpenAI(kit)).tools)],
    ['Anthropic, if asked for', async (kit: never) => namesOf(await toAnthropic(kit, { found: 'call_tool' }))],
    ['the AI SDK without `toolSearch`', async (kit: never) => Object.keys(await toAiSdk(kit))],
    ['Mastra', async (kit: never) => Object.keys(await toMastra(kit))],
    [
      'LangChain',
      (kit: never) =>
        toLangChain(kit, {
          tool: (_run, { name }) => name,
          ToolMessage: class {
            readonly kind = 'tool';
          },
        }),
    ],
  ])('of %s by call_tool', async (_name, listOf) => {
    await using host = manyTools();
    await using kit = createToolkit(host, small);
    expect(await listOf(kit as never)).toEqual(['find_tools', 'read_more', 'call_tool', 'shop__list_order']);
    const found = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'export orders', limit: 1 } });
    expect(found).toMatchObject({ text: expect.stringContaining('arguments: {') });
    const args = { name: 'shop__export_order', arguments: { id: '7' } };
    expect(await kit.call({ id: '2', name: 'call_tool', arguments: args })).toMatchObject({ text: 'export 7' });
    const wrong = await kit.call({ id: '3', name: 'call_tool', arguments: { name: 'call_tool' } });
    expect(wrong).toMatchObject({ isError: true });
  });
});
