/** Writes a program with many tools of mixed schemas and a typed client that calls each. */

const schemas: readonly { readonly input: string; readonly given: string }[] = [
  { input: 'z.object({ city: z.string(), days: z.number().int().default(3) })', given: "{ city: 'Oslo' }" },
  {
    input: "z.object({ mode: z.enum(['fast', 'slow']), tags: z.array(z.string()).optional() })",
    given: "{ mode: 'fast', tags: ['a'] }",
  },
  {
    input: 'z.object({ at: z.object({ x: z.number(), y: z.number() }), note: z.string().nullable() })',
    given: '{ at: { x: 1, y: 2 }, note: null }',
  },
  { input: 'z.object({ items: z.array(z.object({ id: z.string(), count: z.number() })) })', given: '{ items: [] }' },
  { input: 'z.object({ any: z.record(z.string(), z.union([z.string(), z.number()])) })', given: '{ any: { a: 1 } }' },
];

const define = (n: number): string => {
  const { input } = schemas[n % schemas.length] as (typeof schemas)[number];
  if (n % 2 === 0)
    return `t${n}: tool({ description: 'Tool ${n}', inputSchema: ${input} }, (given) => JSON.stringify(given)),`;
  const output = `z.object({ n${n}: z.number(), text: z.string() })`;
  return `t${n}: tool({ inputSchema: ${input}, outputSchema: ${output} }, async (given) => ({ n${n}: ${n}, text: Object.keys(given).join() })),`;
};

const call = (n: number): string => {
  const { given } = schemas[n % schemas.length] as (typeof schemas)[number];
  const result = `(await client.tools.call('t${n}', ${given}))`;
  return n % 2 === 0 ? `${result}.content;` : `${result}.structuredContent?.n${n}.toFixed();`;
};

const numbered = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `  ${line(n)}`).join('\n');

export const manyTools = (count: number): string => `import { connect, createServer, tool } from 'tenon';
import { z } from 'zod';

export const server = createServer({
  name: 'many',
  version: '1.0.0',
  tools: {
${numbered(count, (n) => `  ${define(n)}`)}
  },
});

export async function callAll(): Promise<void> {
  const client = await connect(server);
${numbered(count, call)}
}
`;
