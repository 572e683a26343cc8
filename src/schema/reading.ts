/** Reads a user's schema once, at definition: its validator behind one small interface, and its JSON Schema. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { isPromiseLike } from '../lib/values/is.ts';
import type { Issue } from './issues.ts';
import { pathText, shorten } from './issues.ts';
import { countedFirst } from './large-values.ts';
import type { JsonSchemaTrait, Output, Schema, StandardIssue, StandardResult, StandardSchema } from './standard.ts';

/** The result of validating a value. */
export type Validated<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A schema that has been read: it validates, and has its JSON Schema. */
export interface SchemaReading<T = unknown> {
  /** Never throws and never rejects; a promise only where the schema itself is asynchronous. */
  readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>>;
  readonly jsonSchema: { readonly input: JsonSchemaObject; readonly output: JsonSchemaObject };
}

export type JsonSchemaObject = Readonly<Record<string, unknown>>;

const target = { target: 'draft-2020-12' } as const;
/** More would help neither a model nor a person, and each costs memory. */
const maxIssues = 8;
const maxMessage = 500;

/** The input or the output of a schema. They differ in a transforming schema, which often has JSON Schema for one only. */
export type SchemaSide = 'input' | 'output';

/**
 * Reads `schema`, found at `place` (such as `tool 'forecast', input`). The JSON Schema of `side` is made at once, that
 * of the other side when first read. Throws `invalid-definition` if it is no Standard Schema, or has no JSON Schema. A
 * large value of the input side is counted before it is validated, unless `isTrusted`.
 */
export function readSchema<S extends Schema>(
  schema: S,
  place: string,
  side: SchemaSide = 'input',
  isTrusted: boolean = side === 'output',
): SchemaReading<Output<S>> {
  const standard = standardOf(schema, place);
  const made: { [side in SchemaSide]?: JsonSchemaObject } = {};
  const make = (side: SchemaSide): JsonSchemaObject => (made[side] ??= converted(standard, side, place));
  make(side);
  const validate = (value: unknown) => validateBy<Output<S>>(standard, value);
  return {
    validate: isTrusted || isBounded(standard) ? validate : countedFirst(validate, refused, () => make('input')),
    jsonSchema: {
      get input() {
        return make('input');
      },
      get output() {
        return make('output');
      },
    },
  };
}

/** Only the validator of a schema, which needs no JSON Schema. Throws `invalid-definition` if it is no Standard Schema. */
export function readValidator<S extends StandardSchema>(
  schema: S,
  place: string,
): SchemaReading<Output<S>>['validate'] {
  const face = faceOf(schema, place);
  const validate = (value: unknown) => validateBy<Output<S>>(face, value);
  return isBounded(face)
    ? validate
    : countedFirst(validate, refused, () => standardOf(schema, place).jsonSchema.input(target));
}

/** Whether a schema is one of ours, which bound their own work and the issues they make. */
const isBounded = ({ vendor }: Validating): boolean => vendor === 'tenon';

const refused = (issues: readonly Issue[]): Validated<never> => ({ ok: false, issues });

interface Validating {
  readonly vendor: string;
  readonly validate: (value: unknown) => unknown;
}

interface StandardFace extends Validating {
  readonly jsonSchema: JsonSchemaTrait;
}

function faceOf(schema: unknown, place: string): Validating {
  const face = property(schema, '~standard');
  if (property(face, 'version') === 1 && typeof property(face, 'validate') === 'function') return face as Validating;
  const fields = schemaFields(schema);
  if (fields !== undefined)
    throw refusal(
      place,
      'is a plain object of schemas.',
      `Wrap the fields in an object schema, such as z.object({ ${fields} }).`,
    );
  throw refusal(place, 'is not a Standard Schema.', notStandardHint(schema));
}

/** The fields of a plain object whose values are all schemas, which the official SDK accepts; as text. */
function schemaFields(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  const names = Object.keys(schema);
  const isStandard = (name: string): boolean =>
    property(property(property(schema, name), '~standard'), 'version') === 1;
  if (names.length === 0 || !names.every(isStandard)) return undefined;
  const shown = names.slice(0, 3).map((name) => `${pathText([name])}: …`);
  return [...shown, ...(names.length > 3 ? ['…'] : [])].join(', ');
}

function standardOf(schema: unknown, place: string): StandardFace {
  const face = faceOf(schema, place);
  const vendor = String(face.vendor);
  const trait = property(face, 'jsonSchema');
  const [input, output] = [property(trait, 'input'), property(trait, 'output')];
  if (typeof input !== 'function' || typeof output !== 'function') {
    throw refusal(place, `is a ${vendor} schema that cannot show itself as JSON Schema.`, noTraitHint(vendor));
  }
  return face as StandardFace;
}

function property(holder: unknown, key: string): unknown {
  const holds = (typeof holder === 'object' && holder !== null) || typeof holder === 'function';
  return holds ? (holder as Record<string, unknown>)[key] : undefined;
}

function notStandardHint(schema: unknown): string {
  return typeof schema === 'object' && schema !== null
    ? "Wrap a plain JSON Schema with fromJsonSchema() from 'tenon/json-schema', or use zod, arktype or valibot."
    : "Pass a schema of zod, arktype or valibot, or fromJsonSchema() from 'tenon/json-schema'.";
}

function noTraitHint(vendor: string): string {
  if (vendor === 'valibot') return "Wrap it with toStandardJsonSchema() from '@valibot/to-json-schema'.";
  if (vendor === 'zod') return "Use 'zod' (version 4) in place of 'zod/mini'.";
  return "Use a version of the library with Standard JSON Schema, or fromJsonSchema() from 'tenon/json-schema'.";
}

function converted(standard: StandardFace, side: SchemaSide, place: string): JsonSchemaObject {
  let schema: unknown;
  try {
    schema = standard.jsonSchema[side](target);
  } catch (cause) {
    const reason = cause instanceof Error ? shorten(cause.message, maxMessage) : 'the conversion threw.';
    const hint = `Use types that JSON has (a date as an ISO string, for one). ${standard.vendor} says: ${reason}`;
    throw refusal(place, `has no JSON Schema for its ${side}.`, hint, cause);
  }
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as JsonSchemaObject;
  throw refusal(place, `gave something other than an object as JSON Schema for its ${side}.`, 'Use an object schema.');
}

function refusal(place: string, what: string, hint: string, cause?: unknown): TenonError {
  const options = cause === undefined ? { hint, details: { place } } : { hint, details: { place }, cause };
  return new TenonError('invalid-definition', `${place}: the schema ${what}`, options);
}

function validateBy<T>(standard: Validating, value: unknown): Validated<T> | Promise<Validated<T>> {
  try {
    const result = standard.validate(value);
    if (!isPromiseLike(result)) return read<T>(result);
    return Promise.resolve(result)
      .then(read<T>)
      .catch(() => broken);
  } catch {
    return broken;
  }
}

/** The result where a validator throws: the text of its error may contain anything, so it is not passed on. */
const broken: Validated<never> = { ok: false, issues: [{ path: [], message: 'the value could not be checked' }] };

function read<T>(result: unknown): Validated<T> {
  const answer = result as StandardResult<T>;
  if (answer.issues === undefined) return { ok: true, value: answer.value };
  return { ok: false, issues: Array.from(answer.issues.slice(0, maxIssues), plainIssue) };
}

function plainIssue({ path, message }: StandardIssue): Issue {
  // Libraries answer with subclasses of Array; Array.from makes plain ones.
  const keys = Array.from(path ?? [], (segment) => (typeof segment === 'object' ? segment.key : segment));
  return { path: keys, message: shorten(String(message), maxMessage) };
}
