/** A definition that is wrong in a common way gets an error that names the place and what to write. */
import { createServer, prompt, resource, resourceTemplate, type ServerDefinition, TenonError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const base = { name: 'x', version: '1' };

/** The error that a definition throws. */
function refusalOf(define: () => unknown): TenonError {
  try {
    define();
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
  throw new Error('the definition was accepted');
}

const create = (definition: unknown) => (): unknown => createServer(definition as ServerDefinition);

describe('An argument of a prompt that is not a string is rejected with what to write:', () => {
  const define = (n: z.ZodType) => prompt({ argsSchema: z.object({ n }) as never }, () => '');

  it.each<[string, z.ZodType, string]>([
    ['z.coerce.number()', z.coerce.number(), 'z.string().transform(Number)'],
    ['z.number().int()', z.number().int(), 'z.string().transform(Number)'],
    ['z.boolean()', z.boolean(), "z.enum(['true', 'false']).transform("],
    ['z.array(z.string())', z.array(z.string()), 'z.string().transform(…)'],
  ])('%s', (_written, n, hint) => {
    const error = refusalOf(create({ ...base, prompts: { p: define(n) } }));
    expect(error).toMatchObject({ code: 'invalid-definition', details: { place: 'prompts.p.argsSchema.n' } });
    expect(error.hint).toContain(hint);
  });

  it.each<[string, z.ZodType]>([
    ['a string that becomes a number', z.string().transform(Number)],
    ['a string that becomes a boolean', z.enum(['true', 'false']).transform((text) => text === 'true')],
  ])('%s is accepted', (_written, n) => {
    expect(create({ ...base, prompts: { p: define(n) } })).not.toThrow();
  });
});

describe('A plain object of schemas in place of a schema is rejected with the object schema to write:', () => {
  const city = { city: z.string() } as never;
  const many = { a: z.string(), b: z.number(), c: z.string(), d: z.string() } as never;

  it.each<[string, string, object]>([
    ['tools.t.inputSchema', 'z.object({ city: … })', { tools: { t: tool({ inputSchema: city }, () => '') } }],
    [
      'tools.t.outputSchema',
      'z.object({ city: … })',
      { tools: { t: tool({ outputSchema: city }, () => '' as never) } },
    ],
    [
      'tools.t.inputSchema',
      'z.object({ a: …, b: …, c: …, … })',
      { tools: { t: tool({ inputSchema: many }, () => '') } },
    ],
    ['prompts.p.argsSchema', 'z.object({ city: … })', { prompts: { p: prompt({ argsSchema: city }, () => '') } }],
  ])('%s needs %s', (place, written, features) => {
    expect(refusalOf(create({ ...base, ...features }))).toMatchObject({
      code: 'invalid-definition',
      message: expect.stringContaining(`${place}: the schema is a plain object of schemas.`),
      hint: `Wrap the fields in an object schema, such as ${written}.`,
      details: { place },
    });
  });

  it('a plain JSON Schema still gets the hint for JSON Schema', () => {
    const features = { tools: { t: tool({ inputSchema: { type: 'object' } as never }, () => '') } };
    expect(refusalOf(create({ ...base, ...features })).hint).toContain('fromJsonSchema()');
  });
});

describe('createServer() needs a name and a version:', () => {
  it.each<[string, object, string]>([
    ['name', { version: '1' }, 'name is missing'],
    ['version', { name: 'a' }, 'version is missing'],
    ['version', { name: 'a', version: 1 }, 'version is a number, not a string'],
    ['name', { name: '', version: '1' }, 'name is empty'],
    ['version', { name: 'a', version: ' ' }, 'version is empty'],
  ])('the %s in %j is rejected: %s', (place, definition, problem) => {
    expect(refusalOf(create(definition))).toMatchObject({
      code: 'invalid-definition',
      message: `createServer(): ${problem}. Write createServer({ name: 'my-server', version: '1.0.0' }).`,
      details: { place },
    });
  });
});

describe.each<[string, (...args: unknown[]) => unknown]>([
  ['tool', tool as never],
  ['prompt', prompt as never],
  ['resource', resource as never],
  ['resourceTemplate', resourceTemplate as never],
])('%s() throws at once', (maker, define) => {
  it.each<[string, unknown[], string, string]>([
    ['without a handler', [{}], 'handler', 'the handler is missing.'],
    ['without options', [() => ''], 'handler', 'the handler is missing, or the options before it.'],
    ['with a handler that is an object', [{}, {}], 'handler', 'the handler is an object, not a function.'],
    ['with a name before the options', ['a', {}, () => ''], 'options', 'the options are a string, not an object.'],
    ['with options that are null', [null, () => ''], 'options', 'the options are null, not an object.'],
  ])('%s', (_what, args, place, problem) => {
    const error = refusalOf(() => define(...args));
    expect(error).toMatchObject({ code: 'invalid-definition', details: { place } });
    expect(error.message).toContain(`${maker}(): ${problem} Write ${maker}(options, handler)`);
  });
});
