/** Valid and nearly valid values of a JSON Schema, as a fast-check arbitrary. */
import * as fc from 'fast-check';
import type { JsonSchema } from './specification.ts';

export interface Vocabulary {
  /** Names of properties. */
  readonly keys: readonly string[];
  /** Constants and enum values. */
  readonly words: readonly unknown[];
}

/** Every property name and every constant in a set of definitions, to make nearly valid values from. */
export function vocabularyOf(definitions: Readonly<Record<string, JsonSchema>>): Vocabulary {
  const keys = new Set<string>();
  const words = new Set<unknown>();
  const visit = (schema: JsonSchema): void => {
    for (const key of Object.keys(schema.properties ?? {})) keys.add(key);
    for (const word of schema.enum ?? []) words.add(word);
    if (schema.const !== undefined) words.add(schema.const);
    const rest = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
    const items = schema.items === undefined ? [] : [schema.items];
    const parts = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
    for (const part of [...parts, ...rest, ...items]) visit(part);
  };
  for (const definition of Object.values(definitions)) visit(definition);
  return { keys: [...keys].sort(), words: [...words].sort() };
}

const text = fc.oneof(
  { weight: 18, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constant('x'.repeat(5000)) },
);
const key = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('constructor', 'length', 'a/b'));
const anyJson = fc.jsonValue({ maxDepth: 1, stringUnit: 'grapheme-ascii' });

/** From this depth on, optional parts are left out. */
const deepest = 7;

export function createArbitrary(
  resolve: (schema: JsonSchema) => JsonSchema,
): (schema: JsonSchema) => fc.Arbitrary<unknown> {
  const known = new WeakMap<JsonSchema, fc.Arbitrary<unknown>[]>();

  function at(level: number, given: JsonSchema): fc.Arbitrary<unknown> {
    const schema = resolve(given);
    const levels = known.get(schema) ?? [];
    known.set(schema, levels);
    levels[level] ??= build(level, schema);
    return levels[level];
  }

  function build(level: number, schema: JsonSchema): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.anyOf !== undefined) return oneOrTwoOf(schema.anyOf.map((option) => at(level, option)));
    if (schema.allOf !== undefined) return at(level, merge(schema.allOf.map(resolve)));
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => typed(level, schema, type)));
    return schema.type === undefined ? anyJson : typed(level, schema, schema.type as string);
  }

  function typed(level: number, schema: JsonSchema, type: string): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return text;
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
      case 'number':
        return numberIn(schema);
      case 'array':
        return level >= deepest
          ? fc.constant([])
          : fc.array(at(level + 1, schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 2, 2) });
      case 'object':
        return objectOf(level, schema);
      default:
        throw new Error(`Unknown JSON Schema type: ${type}`);
    }
  }

  function objectOf(level: number, schema: JsonSchema): fc.Arbitrary<unknown> {
    const required = schema.required ?? [];
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([name]) => level < deepest || required.includes(name),
    );
    const { additionalProperties: rest } = schema;
    const listed = fc.record(Object.fromEntries(fields.map(([name, field]) => [name, at(level + 1, field)])), {
      requiredKeys: [...required],
    });
    if (fields.length > 0 || level >= deepest || rest === false) return listed;
    const others = typeof rest === 'object' ? at(level + 1, rest) : anyJson;
    return fc.dictionary(key, others, { maxKeys: 3, noNullPrototype: true });
  }

  return (schema) => at(0, schema);
}

/** Mostly one of the options; sometimes a value with the fields of two, to test overlapping options. */
function oneOrTwoOf(options: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  const one = fc.oneof(...options);
  const blend = fc.tuple(one, one).map(([a, b]) => (isPlain(a) && isPlain(b) ? { ...a, ...b } : a));
  return fc.oneof({ weight: 4, arbitrary: one }, { weight: 1, arbitrary: blend });
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberIn = ({ minimum = -1e6, maximum = 1e6 }: JsonSchema): fc.Arbitrary<number> =>
  fc.oneof(
    fc.integer({ min: minimum, max: maximum }),
    fc.double({ min: minimum, max: maximum, noNaN: true, noDefaultInfinity: true }),
  );

/** One schema for values that match all of several object schemas. A property of two of them has to match both. */
function merge(parts: readonly JsonSchema[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const part of parts) {
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      const before = properties[name];
      properties[name] = before === undefined ? field : { allOf: [before, field] };
    }
  }
  const constant = parts.find(({ type }) => type !== 'object');
  return (
    constant ?? { type: 'object', properties, required: [...new Set(parts.flatMap(({ required = [] }) => required))] }
  );
}
