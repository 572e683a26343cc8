/** The tools of the servers and their schemas: the same for all, bare servers included. */
import { z } from 'zod';

export const card = { name: 'bench-server', version: '1.0.0' };

export const add = {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String(a + b),
};

export const echo = {
  name: 'echo',
  description: 'Returns a message',
  schema: z.object({ message: z.string() }),
  run: ({ message }) => message,
};

export const tools = [add, echo];

/** Both tools, and others up to the count: those fill lists and are never called. */
export const toolsOf = (count) => [...tools, ...Array.from({ length: count - tools.length }, (_, n) => searching(n))];

const searching = (n) => ({
  name: `search_${n}`,
  description: `Searches index number ${n} for what matches a query, and returns the best matches.`,
  schema: z.object({
    query: z.string().describe('Free text to look for'),
    kind: z.enum(['file', 'folder', 'symbol', 'commit']).describe('What to look for'),
    limit: z.number().int().min(1).max(100).optional().describe('Most results to return'),
    recursive: z.boolean().optional().describe('Descend into folders'),
    ...(n % 2 === 1 && { tags: z.array(z.string()).optional().describe('Only results with all of these tags') }),
  }),
  run: ({ query }) => query,
});

/** The result of a handler in most libraries. */
export const textResult = (text) => ({ content: [{ type: 'text', text }] });

/** The same without validation: what a loop has that trusts its caller. */
export function createTrustingCaller(given) {
  const byName = new Map(given.map(({ name, run }) => [name, run]));
  return (name, args) => byName.get(name)(args);
}

/** `textOf(name, given)` is the text of a tool's result, validated with the same schema as in the other servers. */
export function createCaller(given) {
  const byName = new Map(given.map(({ name, schema, run }) => [name, { validate: schema['~standard'].validate, run }]));
  return (name, args) => {
    const { validate, run } = byName.get(name);
    const checked = validate(args);
    if (checked.issues !== undefined) throw new Error('bad arguments');
    return run(checked.value);
  };
}
