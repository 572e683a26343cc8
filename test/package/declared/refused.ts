/** A program that compiles except for its marked lines. The words in backticks are in the compiler's text about the next line. */
import {
  connect,
  content,
  createServer,
  prompt,
  resource,
  resourceTemplate,
  type ToolDefinition,
  tool,
  toolResult,
} from 'tenon';
import { z } from 'zod';

const inputSchema = z.object({ city: z.string() });
const outputSchema = z.object({ celsius: z.number() });
const block = { type: 'text', text: 'a' } as const;

export const alone = {
  // @ts-expect-error `number`, `string`, `Content`, `WholeResult`, `InputRequired`
  number: tool({}, () => 42),
  // @ts-expect-error `number`, `string`, `Content`
  later: tool({ inputSchema }, async () => 42),
  // @ts-expect-error `void`, `string`, `Content`
  nothing: tool({ inputSchema }, () => {}),
  // @ts-expect-error `undefined`, `string`, `Content`
  missing: tool({}, () => undefined),
  // @ts-expect-error `() => void`, `string`, `Content`
  callback: tool({}, () => () => {}),
  // @ts-expect-error `content`, `string`, `Content`, `WholeResult`
  habit: tool({}, () => ({ content: [block] })),
  // @ts-expect-error `string`, `celsius: number`
  text: tool({ outputSchema }, () => 'cold'),
  // @ts-expect-error `content`, `celsius: number`
  habitWithSchema: tool({ outputSchema }, async () => ({ content: [block] })),
};

createServer({
  name: 'inside',
  version: '1.0.0',
  tools: {
    text: tool({ description: 'Says it' }, () => 'text'),
    blocks: tool({}, async () => content(block)),
    whole: tool({}, () => toolResult({ content: [block], isError: true })),
    given: tool({ inputSchema }, ({ city }) => city),
    structured: tool({ inputSchema, outputSchema }, async ({ city }) => ({ celsius: city.length })),
    // @ts-expect-error `number`, `string`, `Content`, `WholeResult`, `InputRequired`
    number: tool({}, () => 42),
    // @ts-expect-error `number`, `string`, `Content`
    later: tool({ inputSchema }, async () => 42),
    // @ts-expect-error `void`, `string`, `Content`
    nothing: tool({ inputSchema }, () => {}),
    // @ts-expect-error `undefined`, `string`, `Content`
    missing: tool({}, () => undefined),
    // @ts-expect-error `() => void`, `string`, `Content`
    callback: tool({}, () => () => {}),
    // @ts-expect-error `content`, `string`, `Content`, `WholeResult`
    habit: tool({}, () => ({ content: [block] })),
    // @ts-expect-error `content`, `string`, `Content`, `WholeResult`
    habitLater: tool({ inputSchema }, async ({ city }) => ({ content: [{ type: 'text', text: city }] })),
    // @ts-expect-error `string`, `celsius: number`
    textForSchema: tool({ outputSchema }, () => 'cold'),
    // @ts-expect-error `undefined`, `celsius: number`
    missingForSchema: tool({ outputSchema }, () => undefined),
    // @ts-expect-error `content`, `celsius: number`
    habitWithSchema: tool({ inputSchema, outputSchema }, async () => ({ content: [block] })),
  },
  resources: {
    'a://text': resource({}, () => 'text'),
    'a://parts': resource({}, async () => [{ text: 'a' }]),
    // @ts-expect-error `number`, `string`, `Uint8Array`, `ResourcePart[]`
    'a://number': resource({}, () => 42),
    // @ts-expect-error `undefined`, `string`, `Uint8Array`
    'a://missing': resource({}, () => undefined),
    // @ts-expect-error `() => void`, `string`, `Uint8Array`
    'a://callback': resource({}, () => () => {}),
    // @ts-expect-error `contents`, `string`, `Uint8Array`
    'a://habit': resource({}, async () => ({ contents: [{ uri: 'a://habit', text: 'a' }] })),
  },
  resourceTemplates: {
    'b://{id}': resourceTemplate({}, ({ id }) => (id === '' ? undefined : id)),
    // @ts-expect-error `number`, `string`, `Uint8Array`, `ResourcePart[]`
    'b://{id}/number': resourceTemplate({}, () => 42),
    // @ts-expect-error `() => void`, `string`, `Uint8Array`
    'b://{id}/callback': resourceTemplate({}, () => () => {}),
    // @ts-expect-error `contents`, `string`, `Uint8Array`
    'b://{id}/habit': resourceTemplate({}, async () => ({ contents: [{ uri: 'b://1', text: 'a' }] })),
  },
  prompts: {
    text: prompt({}, () => 'text'),
    list: prompt({}, () => [{ role: 'user', content: block }]),
    // @ts-expect-error `number`, `string`, `PromptMessage[]`, `WholePrompt`
    number: prompt({}, () => 42),
    // @ts-expect-error `undefined`, `string`, `PromptMessage[]`
    missing: prompt({}, () => undefined),
    // @ts-expect-error `() => void`, `string`, `PromptMessage[]`
    callback: prompt({}, () => () => {}),
    // @ts-expect-error `messages`, `string`, `PromptMessage[]`
    habit: prompt({}, async () => ({ messages: [{ role: 'user', content: block }] })),
  },
});

// The place where a tool is expected does not change what it may return.
// @ts-expect-error `number`, `string`, `Content`
export const annotated: Record<string, ToolDefinition> = { number: tool({}, () => 42) };
// @ts-expect-error `number`, `string`, `Content`
export const returned = (): ToolDefinition => tool({}, () => 42);

const crud = (name: string) => ({ [`${name}_get`]: tool({ inputSchema }, ({ city }) => city) });
const named = <Name extends string>(name: Name) =>
  ({ [`${name}_list`]: tool({}, () => 'all') }) as Record<`${Name}_list`, ToolDefinition>;

export const server = createServer({
  name: 'spread',
  version: '1.0.0',
  tools: { ...crud('a'), ...named('b'), t1: tool({ inputSchema, outputSchema }, () => ({ celsius: 3 })) },
  prompts: { p1: prompt({}, () => 'text') },
});
server.update((draft) => {
  draft.tools.added = tool({ inputSchema }, ({ city }) => city);
  // @ts-expect-error `number`, `string`, `Content`
  draft.tools.number = tool({}, () => 42);
});

export async function called(): Promise<void> {
  const client = await connect(server);
  void (await client.tools.call('t1', { city: 'Oslo' })).structuredContent?.celsius.toFixed();
  await client.tools.call('b_list');
  // Names that only the running program knows.
  for await (const { name } of client.tools.list()) await client.tools.call(name, { city: 'Oslo' });
  for await (const { name } of client.prompts.list()) await client.prompts.get(name);
  await client.tools.call<string>('added', { city: 'Oslo' }, { timeoutMs: 1000 });
  await client.tools.call<string>('a_get', { city: 'Oslo' });
  // @ts-expect-error `"t2"`, `"t1"`, `"b_list"`
  await client.tools.call('t2', { city: 'Oslo' });
  // @ts-expect-error `town`
  await client.tools.call('t1', { town: 'Oslo' });
  // @ts-expect-error `number`, `Record<string, unknown>`
  await client.tools.call<string>('added', 3);
  // @ts-expect-error `"p2"`, `"p1"`
  await client.prompts.get('p2');
}

interface Order {
  readonly id: string;
  readonly count?: number;
  readonly note: string | undefined;
  readonly parts: readonly Order[];
  readonly prices: Readonly<Record<string, number | null>>;
}

class Account {
  readonly id = 'a';
  close(): void {}
}

export const steps = tool({}, async (_, ctx) => {
  const order: Order = { id: 'a', note: undefined, parts: [], prices: {} };
  const stored: Order = await ctx.step('order', async () => order);
  let count = await ctx.step('count', ({ attempt }) => attempt);
  count += await ctx.step('one', () => 1);
  let text = await ctx.step('text', async () => 'a');
  text += stored.id;
  await ctx.step('nothing', () => {});
  await ctx.step('maybe', () => (count > 1 ? { text } : null));
  await ctx.step('unknown', async (): Promise<unknown> => JSON.parse(text));
  await ctx.step('list', () => [{ at: [1, 'a', true, null] as const }]);
  // @ts-expect-error `Date`, `must be JSON`
  await ctx.step('date', () => new Date());
  // @ts-expect-error `Date`, `must be JSON`
  await ctx.step('later', async () => new Date());
  // @ts-expect-error `Date`, `must be JSON`
  await ctx.step('inner', async () => ({ order: { at: new Date() } }));
  // @ts-expect-error `Map<string, number>`, `must be JSON`
  await ctx.step('map', () => new Map<string, number>());
  // @ts-expect-error `Account`, `must be JSON`
  await ctx.step('class', () => new Account());
  // @ts-expect-error `() => number`, `must be JSON`
  await ctx.step('function', () => () => 1);
  // @ts-expect-error `must be JSON`
  await ctx.step('member', () => ({ deep: [() => 1] }));
  // @ts-expect-error `bigint`, `must be JSON`
  await ctx.step('bigint', () => 1n);
  // @ts-expect-error `undefined`, `string`
  await ctx.step('undefined', () => ['a', undefined]);
  // @ts-expect-error `Date`, `must be JSON`
  await ctx.step('either', () => (count > 1 ? 'a' : new Date()));
  return text;
});

export const described = createServer({
  name: 'described',
  version: '1.0.0',
  tools: {
    t1: tool({ annotations: { readOnlyHint: true, audience: ['user'], priority: 0.9, custom_field: 1 } }, () => ''),
    // @ts-expect-error `string`, `boolean`
    t2: tool({ annotations: { readOnlyHint: 'yes' } }, () => ''),
    t3: tool({}, () => content({ type: 'text', text: '', annotations: { custom_field: 'value' } })),
  },
  resources: { 'a://b': resource({ annotations: { audience: ['user'], custom_field: 'value' } }, () => '') },
  resourceTemplates: { 'a://{b}': resourceTemplate({ annotations: { custom_field: 'value' } }, () => '') },
  prompts: { p1: prompt({}, () => [{ role: 'system', content: block }]) },
});

export async function read(): Promise<void> {
  const client = await connect(described);
  for await (const { annotations } of client.tools.list()) {
    void annotations?.audience?.includes('user');
    void annotations?.priority?.toFixed();
    void annotations?.custom_field;
    void tool({ ...(annotations && { annotations }) }, () => 'the same annotations');
  }
  for await (const { annotations } of client.resources.list()) void annotations?.custom_field;
  const { messages } = await client.prompts.get('p1');
  void messages.filter((message) => message.role === 'system');
  // @ts-expect-error `"god"`
  void messages.filter((message) => message.role === 'god');
}
