/** Types of definitions: handlers have to match their schemas. */
import { content, createServer, inputRequired, prompt, tool, toolResult } from 'tenon';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const city = z.object({ city: z.string(), days: z.number().default(3) });
const celsius = z.object({ celsius: z.number(), note: z.string().default('') });

export const tools = {
  given: tool({ inputSchema: city }, (given) => {
    holds<Same<typeof given, { city: string; days: number }>>();
    return given.city;
  }),
  // A handler returns the input type of the output schema: defaults are filled in afterwards.
  returned: tool({ inputSchema: city, outputSchema: celsius }, () => ({ celsius: 3 })),
  later: tool({ outputSchema: celsius }, async () => ({ celsius: 3, note: 'cold' })),
  whole: tool({ outputSchema: celsius }, () => toolResult({ content: [], isError: true })),
  requesting: tool({ outputSchema: celsius }, () => inputRequired({ who: 'roots' })),
  text: tool({}, () => 'text'),
  blocks: tool({}, async () => content({ type: 'text', text: 'text' })),
  list: tool({ outputSchema: z.array(z.string()) }, () => ['a']),
};

// @ts-expect-error the output has another type
export const wrongOutput = tool({ outputSchema: celsius }, () => ({ celsius: 'cold' }));
// @ts-expect-error a field of the output is missing
export const lackingOutput = tool({ outputSchema: celsius }, async () => ({ note: 'cold' }));
// @ts-expect-error with an output schema, a string is not a result
export const textForOutput = tool({ outputSchema: celsius }, () => 'cold');
// @ts-expect-error without an output schema, an object is not a result
export const objectWithoutOutput = tool({ inputSchema: city }, () => ({ celsius: 3 }));
// @ts-expect-error a handler returns something
export const nothing = tool({ inputSchema: city }, () => {});
// @ts-expect-error there is no such argument
export const unknownArgument = tool({ inputSchema: city }, ({ town }) => String(town));
// @ts-expect-error a schema has to be a Standard Schema with JSON Schema
export const noSchema = tool({ inputSchema: { type: 'object' } }, () => 'x');

export const prompts = {
  plan: prompt({ argsSchema: z.object({ city: z.string(), days: z.string().transform(Number) }) }, (given) => {
    holds<Same<typeof given, { city: string; days: number }>>();
    return given.city;
  }),
  none: prompt({}, () => [{ role: 'user', content: { type: 'text', text: 'hello' } }]),
  maybe: prompt(
    { argsSchema: z.object({ style: z.enum(['brief', 'long']).optional() }) },
    ({ style }) => style ?? 'brief',
  ),
};

// @ts-expect-error arguments of prompts are strings
export const numberArgument = prompt({ argsSchema: z.object({ days: z.number() }) }, ({ days }) => String(days));
// @ts-expect-error a prompt returns a string or messages
export const wrongPrompt = prompt({}, () => 3);

// @ts-expect-error a tool is defined with tool(…)
export const notATool = createServer({ name: 'x', version: '1', tools: { a: () => 'a' } });

export const elicits = tool({}, async (_, ctx) => {
  const who = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
  // @ts-expect-error there is content only if the user accepted
  void who.content;
  if (who.action !== 'accept') return 'declined';
  holds<Same<typeof who.content, { name: string }>>();
  // @ts-expect-error the form has no such field
  void who.content.age;

  const visited = await ctx.elicit('url', { message: 'Sign in', url: 'https://example.com' });
  holds<Same<typeof visited.action, 'accept' | 'decline' | 'cancel'>>();
  // @ts-expect-error an elicitation has a schema or a URL
  await ctx.elicit('neither', { message: 'What?' });

  const { age, sampled, roots } = await ctx.requestInput({
    age: { message: 'How old?', schema: z.object({ years: z.number() }) },
    sampled: { messages: [], maxTokens: 5 },
    roots: 'roots',
  });
  const years = age.action === 'accept' ? age.content.years : 0;
  holds<Same<typeof years, number>>();
  const n = await ctx.step('n', () => years + roots.length);
  holds<Same<typeof n, number>>();
  return `${who.content.name} ${n} ${sampled.model}`;
});
