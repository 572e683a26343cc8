/** The zod schemas of the official package `core` as a reference for our checkers. It has one schema for the two newest revisions together. */
import { readFileSync } from 'node:fs';
import * as core from '@modelcontextprotocol/core';
import type { Model } from '../../../src/protocol/model/model.ts';
import type { Shape } from '../../../src/protocol/model/shape.ts';
import type { Side } from '../../../src/protocol/neutral.ts';
import type { ParamsCheck, RequestCheck, Revision } from '../../../src/protocol/revision.ts';
import { models } from '../../../src/protocol/revisions/models.ts';
import { coreDifferences } from './core-differences.ts';
import type { Reference, Subject } from './reference.ts';
import type { JsonSchema } from './specification.ts';

interface ZodSchema {
  safeParse(value: unknown): { readonly success: boolean };
  readonly shape?: unknown;
}
const schemas = core as unknown as Readonly<Record<string, ZodSchema>>;

/** With integers that zod takes: those of JSON Schema have no bounds. */
const accepts = (schema: ZodSchema, value: unknown): boolean => schema.safeParse(withSafeIntegers(value)).success;

function withSafeIntegers(value: unknown): unknown {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return Number.MAX_SAFE_INTEGER;
  if (Array.isArray(value)) return value.map(withSafeIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withSafeIntegers(part)]));
}

const methodOf = ({ shape }: ZodSchema): unknown =>
  (shape as { readonly method?: { readonly value?: unknown } } | undefined)?.method?.value;

/** The method of each message that the package has a schema for. */
export const coreMethods: ReadonlySet<string> = new Set(
  Object.values(schemas)
    .map(methodOf)
    .filter((method) => typeof method === 'string'),
);

/**
 * The reference for one revision. `exact` is for the revision whose messages the schemas describe. For the other they are
 * too lenient: whatever our checkers accept must be valid by them.
 */
export function coreReference(revision: Revision, exact: boolean): Reference {
  const { id } = revision;
  const { $defs: definitions } = publishedSchema(id);
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : resolve(definitions[schema.$ref.replace('#/$defs/', '')] as JsonSchema);
  const subjects = subjectsOf(revision, models.get(id) as Model);
  return {
    revision: id,
    subjects: exact ? subjects : subjects.map(acceptedByOurs),
    definitions,
    resolve,
    differences: coreDifferences,
  };
}

/** Ours, which has the same definitions as the official one. */
const publishedSchema = (id: string): { readonly $defs: Readonly<Record<string, JsonSchema>> } =>
  JSON.parse(readFileSync(new URL(`../../../src/protocol/generated/schema/${id}.json`, import.meta.url), 'utf8'));

const acceptedByOurs = (subject: Subject): Subject => ({
  ...subject,
  official: (value) => subject.ours(value) && subject.official(value),
});

function subjectsOf(revision: Revision, model: Model): Subject[] {
  return (['client', 'server'] as const).flatMap((side) => [
    ...[...revision[side].requests].flatMap(([method, check]) => requestSubjects(side, method, check, model)),
    ...[...revision[side].notifications].map(([method, check]) =>
      paramsSubject(side, method, check, model[side].notifications[method]?.params.shape),
    ),
  ]);
}

function requestSubjects(side: Side, method: string, check: RequestCheck, model: Model): Subject[] {
  const message = model[side].requests[method];
  const results = resultSchemas(message?.name ?? '', message?.result);
  return [
    paramsSubject(side, method, check, message?.params.shape),
    {
      name: `${side} ${method} result`,
      schema: reference(message?.result),
      ours: check.result,
      official: (value) => results.some((schema) => accepts(schema, value)),
    },
  ];
}

function paramsSubject(side: Side, method: string, check: ParamsCheck, shape: Shape | undefined): Subject {
  const schema = Object.values(schemas).find((each) => methodOf(each) === method);
  return {
    name: `${side} ${method} params`,
    schema: reference(shape),
    ours: (params) => (params === undefined ? check.optional : check.params(params)),
    official: (params) => schema !== undefined && accepts(schema, { method, ...(params !== undefined && { params }) }),
  };
}

/** Where a call may return a task, our result is the union of both. */
function resultSchemas(name: string, result: Shape | undefined): ZodSchema[] {
  const own = ['ResultWithTools', 'Result']
    .map((end) => schemas[`${name}${end}Schema`])
    .find((each) => each !== undefined);
  const mayBeTask = result?.is === 'named' && result.name.endsWith('Answer');
  return [own ?? core.EmptyResultSchema, ...(mayBeTask ? [core.CreateTaskResultSchema] : [])];
}

const reference = (shape: Shape | undefined): JsonSchema => {
  if (shape?.is !== 'named') throw new Error('A message has params or a result without a named shape');
  return { $ref: `#/$defs/${shape.name}` };
};
