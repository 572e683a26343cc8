/** The tools that servers have, and their schemas: the same for all, bare servers included. */
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
  description: 'Gives back a message',
  schema: z.object({ message: z.string() }),
  run: ({ message }) => message,
};

export const tools = [add, echo];

/** The two of them, and as many others as are missing: they fill lists, and nobody calls them. */
export const toolsOf = (count) => [...tools, ...Array.from({ length: count - tools.length }, (_, n) => searching(n))];

const searching = (n) => ({
  name: `search_${n}`,
  description: `Searches index number ${n} for what matches a query, and gives back the best of it.`,
  schema: z.object({
    query: z.string().describe('Free text to look for'),
    kind: z.enum(['file', 'folder', 'symbol', 'commit']).describe('What to look for'),
    limit: z.number().int().min(1).max(100).optional().describe('Most results to give back'),
    recursive: z.boolean().optional().describe('Descend into folders'),
    ...(n % 2 === 1 && { tags: z.array(z.string()).optional().describe('Only results with all of these tags') }),
  }),
  run: ({ query }) => query,
});

/** What the handlers of most libraries return. */
export const textResult = (text) => ({ content: [{ type: 'text', text }] });

/** `textOf(name, given)` is what a tool gives, after the schema that the others ask too. */
export function createCaller(given) {
  const byName = new Map(given.map(({ name, schema, run }) => [name, { validate: schema['~standard'].validate, run }]));
  return (name, args) => {
    const { validate, run } = byName.get(name);
    const checked = validate(args);
    if (checked.issues !== undefined) throw new Error('bad arguments');
    return run(checked.value);
  };
}
