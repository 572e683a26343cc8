import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { connect, createServer, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };

const shapes = {
  'zod, a discriminated union': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]),
  'zod, a plain union': z.union([
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]),
  'valibot, a variant': toStandardJsonSchema(
    v.variant('kind', [
      v.object({ kind: v.literal('circle'), radius: v.number() }),
      v.object({ kind: v.literal('square'), side: v.number() }),
    ]),
  ),
  'arktype, a union': type({ kind: "'circle'", radius: 'number' }).or({ kind: "'square'", side: 'number' }),
};

const area = (shape: Shape): string => String(shape.kind === 'square' ? shape.side ** 2 : 3 * shape.radius ** 2);

describe.each(Object.entries(shapes))('A union of objects as inputSchema, %s', (_name, inputSchema) => {
  it.each(protocolVersions)(
    'is listed with type object, and its arguments are validated, under %s',
    async (version) => {
      const server = createServer({ name: 's', version: '1', tools: { area: tool({ inputSchema }, area) } });
      await using client = await connect(server, { protocolVersions: [version], strict: true });
      const [listed] = await client.tools.list().all();
      expect(listed?.inputSchema).toMatchObject({ type: 'object' });
      expect(listed?.inputSchema).toHaveProperty(listed?.inputSchema['oneOf'] === undefined ? 'anyOf' : 'oneOf');
      const call = async (args: object) => (await client.tools.call('area', args as never)).content;
      expect(await call({ kind: 'square', side: 3 })).toMatchObject([{ text: '9' }]);
      expect(await call({ kind: 'circle', radius: 1 })).toMatchObject([{ text: '3' }]);
      expect(await call({ kind: 'circle', side: 1 })).toMatchObject([
        { text: expect.stringContaining('Invalid arguments') },
      ]);
    },
  );
});

it('An inputSchema can be an intersection, or a union with references', () => {
  const tree: z.ZodType = z.object({ children: z.lazy(() => z.array(tree)) });
  const both = toStandardJsonSchema(v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]));
  for (const inputSchema of [z.union([tree, z.object({ leaf: z.string() })]), both])
    expect(() =>
      createServer({ name: 's', version: '1', tools: { it: tool({ inputSchema }, () => '') } }),
    ).not.toThrow();
});

it('The handler gets the union type, and a typed client requires it', async () => {
  const inputSchema = shapes['zod, a discriminated union'];
  const measure = tool({ inputSchema }, (shape) => {
    expectTypeOf(shape).toEqualTypeOf<Shape>();
    return area(shape);
  });
  await using client = await connect(createServer({ name: 's', version: '1', tools: { measure } }));
  await client.tools.call('measure', { kind: 'square', side: 1 });
  // @ts-expect-error: a square has a side.
  expect(await client.tools.call('measure', { kind: 'square', radius: 1 })).toMatchObject({ isError: true });
});

describe('createServer() rejects an inputSchema that allows other values than objects, with a hint:', () => {
  it.each<[string, () => Parameters<typeof tool>[0]['inputSchema'], string]>([
    ['a string', () => z.string(), 'z.object({ value: schema })'],
    ['a union with a string', () => z.union([z.object({ a: z.string() }), z.string()]), 'every member of the union'],
    ['an object or null', () => z.object({ a: z.string() }).nullable(), 'every member of the union'],
    ['anything', () => z.any(), 'Wrap the schema in an object'],
    ['a list', () => toStandardJsonSchema(v.array(v.string())), 'Wrap the schema in an object'],
    ['a union of arktype', () => type({ a: 'string' }).or('number'), 'every member of the union'],
    [
      'a plain JSON Schema of a list',
      () => fromJsonSchema({ type: 'array', items: {} }),
      'Wrap the schema in an object',
    ],
  ])('%s', (_name, schema, hint) => {
    const define = () =>
      createServer({ name: 's', version: '1', tools: { it: tool({ inputSchema: schema() as never }, () => '') } });
    expect(define).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining('tools.it.inputSchema: the schema allows values that are not objects'),
        hint: expect.stringContaining(hint),
      }),
    );
  });
});
