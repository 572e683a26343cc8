import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readSchema } from './reading.ts';
import type { Input, Output, Schema } from './standard.ts';

const schemas: Record<string, Schema<{ city: string }>> = {
  zod: z.object({ city: z.string() }),
  valibot: toStandardJsonSchema(v.object({ city: v.string() })),
  arktype: type({ city: 'string' }),
};

/** The error a definition throws. */
function refused(define: () => unknown): TenonError {
  try {
    define();
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
  throw new Error('the definition was accepted');
}

/** A schema by hand, so that its validator can be anything. */
function handmade(validate: (value: unknown) => unknown): Schema {
  const jsonSchema = { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) };
  return { '~standard': { version: 1, vendor: 'hand', validate, jsonSchema } } as unknown as Schema;
}

describe('a schema of a library', () => {
  it.each(Object.entries(schemas))('of %s validates and shows itself as JSON Schema', async (_, schema) => {
    const reading = readSchema(schema, "tool 'forecast', input");
    expect(await reading.validate({ city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo' } });
    const result = await reading.validate({ city: 3 });
    expect(result).toMatchObject({ ok: false, issues: [{ path: ['city'], message: expect.any(String) }] });
    expect(reading.jsonSchema.input).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  it('gives what the library makes of the value, run once', () => {
    let runs = 0;
    const schema = z.object({ n: z.string().transform((text) => ((runs += 1), Number(text))) });
    const reading = readSchema(schema, 'x');
    expect(reading.validate({ n: '3' })).toEqual({ ok: true, value: { n: 3 } });
    expect(runs).toBe(1);
  });

  it('may lack JSON Schema for the side that is not read', () => {
    const reading = readSchema(z.string().transform(Number), 'x', 'input');
    expect(reading.jsonSchema.input).toMatchObject({ type: 'string' });
    expect(refused(() => reading.jsonSchema.output).code).toBe('invalid-definition');
  });

  it('has its input and output types', () => {
    const schema = z.object({ n: z.string().transform(Number) });
    const given: Input<typeof schema> = { n: '3' };
    const got: Output<typeof schema> = { n: 3 };
    expect(readSchema(schema, 'x').validate(given)).toEqual({ ok: true, value: got });
  });
});

describe('a schema that cannot be used is refused at definition', () => {
  const cases: [name: string, schema: unknown, hint: string][] = [
    ['bare valibot', v.object({ city: v.string() }), 'toStandardJsonSchema'],
    ['zod/mini', mini.object({ city: mini.string() }), "'zod'"],
    ['zod with a date', z.object({ day: z.date() }), 'ISO string'],
    ['a plain JSON Schema', { type: 'object' }, 'fromJsonSchema()'],
    ['undefined', undefined, 'zod'],
    ['a string', 'object', 'zod'],
    ['a face of another version', { '~standard': { version: 2, validate: () => ({}) } }, 'fromJsonSchema()'],
  ];
  it.each(cases)('%s, with the place and a hint', (_, schema, hint) => {
    const error = refused(() => readSchema(schema as Schema, "tool 'forecast', input"));
    expect(error.code).toBe('invalid-definition');
    expect(error.details).toEqual({ place: "tool 'forecast', input" });
    expect(error.message).toContain("tool 'forecast', input");
    expect(error.hint).toContain(hint);
  });
});

describe('a validator', () => {
  it('may be asynchronous', async () => {
    const reading = readSchema(
      z.string().refine(async (text) => text === 'yes'),
      'x',
    );
    const result = reading.validate('yes');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual({ ok: true, value: 'yes' });
    expect(await reading.validate('no')).toMatchObject({ ok: false });
  });

  const broken: [name: string, validate: () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('password in the text');
      },
    ],
    ['rejects', () => Promise.reject(new Error('password in the text'))],
    ['answers nothing', () => undefined],
    ['answers null in a promise', () => Promise.resolve(null)],
    ['answers issues that are no list', () => ({ issues: 7 })],
  ];
  it.each(broken)('that %s is a failed validation with a safe text', async (_, validate) => {
    const result = await readSchema(handmade(validate), 'x').validate('v');
    expect(result).toEqual({ ok: false, issues: [{ path: [], message: 'the value could not be checked' }] });
  });

  it('has its issues bounded, and their path segments made plain', async () => {
    const issue = { path: ['a', { key: 0 }], message: 'm'.repeat(9000) };
    const result = await readSchema(
      handmade(() => ({ issues: Array.from({ length: 9000 }, () => issue) })),
      'x',
    ).validate('v');
    const issues = result.ok ? [] : result.issues;
    expect(issues).toHaveLength(8);
    expect(issues[0]?.path).toEqual(['a', 0]);
    expect(issues[0]?.message).toHaveLength(500);
  });
});
