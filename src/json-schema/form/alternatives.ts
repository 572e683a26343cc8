/** `anyOf`, `oneOf`, `enum` and lists of types: a choice of values, or a union of shapes. */
import { isJsonObject, type Json, type JsonObject } from '../analysis/snapshot.ts';
import type { Choice } from './field.ts';
import { flatSchema, listOf, merged, NoForm, type SchemaDocument, spend } from './flat-schema.ts';

/** The shapes of a schema, and whether `null` is allowed too. */
export interface Alternatives {
  readonly isNullable: boolean;
  /** One schema for each shape. */
  readonly shapes: readonly JsonObject[];
}

/** The shapes of a flat schema. */
export function alternativesOf(schema: JsonObject, document: SchemaDocument): Alternatives {
  const { anyOf, oneOf, ...rest } = schema;
  if (anyOf !== undefined && oneOf !== undefined) throw new NoForm('the schema has anyOf and oneOf');
  const options = listOf(anyOf ?? oneOf);
  if (options.length === 0 || (isObject(rest) && options.every(isCondition))) return byType(rest);
  const inner = options.map((option) => alternativesIn(option, rest, document)).filter((one) => one !== undefined);
  return {
    isNullable: inner.some(({ isNullable }) => isNullable),
    shapes: inner.flatMap(({ shapes }) => shapes),
  };
}

function alternativesIn(option: Json, beside: JsonObject, document: SchemaDocument): Alternatives | undefined {
  if (option === false) return undefined;
  // The title, description and default of the whole do not apply to one option.
  const { title: _, description: __, default: ___, ...rules } = beside;
  // They are copied for each option.
  spend(
    document,
    Object.keys(rules).length + Object.keys(isJsonObject(rules.properties) ? rules.properties : {}).length,
  );
  const flat = merged([flatSchema(option, document), rules]);
  // An option with alternatives of its own stays one option of the union.
  return flat.anyOf !== undefined || flat.oneOf !== undefined ? { isNullable: false, shapes: [flat] } : byType(flat);
}

const isObject = (schema: JsonObject): boolean => schema.type === 'object' || isJsonObject(schema.properties);

/** Options that only say which fields belong together: the server checks them, the form shows all fields. */
const isCondition = (option: Json): boolean =>
  isJsonObject(option) &&
  Object.keys(option).every((name) => ['required', 'not', 'title', 'description'].includes(name));

function byType(schema: JsonObject): Alternatives {
  const types = listOf(schema.type);
  const values = schema.enum === undefined ? undefined : listOf(schema.enum);
  if (values?.includes(null)) {
    const names = listOf(schema.enumNames);
    const places = [...values.keys()].filter((place) => values[place] !== null);
    const at = (all: readonly Json[]): Json => places.map((place) => all[place] ?? null);
    return {
      isNullable: true,
      shapes: places.length === 0 ? [] : [{ ...schema, enum: at(values), enumNames: at(names) }],
    };
  }
  if (values !== undefined) return { isNullable: schema.nullable === true, shapes: [schema] };
  if (schema.const === null) return { isNullable: true, shapes: [] };
  const own = types.filter((type) => type !== 'null');
  const isNullable = own.length < types.length || schema.nullable === true;
  if (types.length === 0) return { isNullable, shapes: [schema] };
  return { isNullable, shapes: own.map((type) => ({ ...schema, type })) };
}

/** The values of shapes that have nothing but values; `undefined` if one has more. */
export function choicesOf(shapes: readonly JsonObject[]): readonly Choice[] | undefined {
  const found = new Map<string, Choice>();
  for (const shape of shapes) {
    const own = choicesIn(shape);
    if (own === undefined) return undefined;
    for (const choice of own) {
      const text = JSON.stringify(choice.value);
      if (!found.has(text)) found.set(text, choice);
    }
  }
  return [...found.values()];
}

function choicesIn(shape: JsonObject): readonly Choice[] | undefined {
  if (shape.const !== undefined)
    return [
      {
        value: shape.const,
        label: textIn(shape.title) ?? shownValue(shape.const),
        ...(typeof shape.description === 'string' && { description: shape.description }),
      },
    ];
  if (shape.enum === undefined) return undefined;
  const names = listOf(shape.enumNames);
  return listOf(shape.enum).map((value, index) => ({ value, label: textIn(names[index]) ?? shownValue(value) }));
}

export const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const shownValue = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
