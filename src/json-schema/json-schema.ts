/** Plain JSON Schema as a Standard Schema: guarded and compiled once, then a validator that applies defaults. */

import { Compile, type Validator } from 'typebox/schema';
import { readOptions } from '../lib/options/read-options.ts';
import type { Issue } from '../schema/issues.ts';
import type { JsonSchemaRequest, Schema, StandardResult } from '../schema/standard.ts';
import { type Analysis, analyse } from './analysis/analysis.ts';
import { type Json, takeSnapshot } from './analysis/snapshot.ts';
import { type Budget, BudgetSpent, createBudget } from './budget.ts';
import type { EntryValidator } from './compiler/compiler.ts';
import { lowerDocument, rootEntry } from './compiler/lowering.ts';
import { jsonSchemaOptions } from './limits.table.ts';
import { type JsonSchemaOptions, maxValueDepth, refusal } from './limits.ts';
import { createFiller } from './validation/defaults.ts';
import { explain } from './validation/explanation.ts';
import { sampleOf } from './validation/sample.ts';
import { isDeeperThan, namesInherited, withoutInheritance } from './validation/value.ts';

/**
 * Makes a Standard Schema of a JSON Schema (2020-12, or draft-07 where `$schema` says so). `T` is what a valid value is
 * taken to be. Throws `invalid-schema`, with the place and a hint, where the schema is unsafe or cannot be used.
 */
export function fromJsonSchema<T = unknown>(schema: object | boolean, options: JsonSchemaOptions = {}): Schema<T> {
  const { maxNodes, maxSteps } = readOptions('fromJsonSchema()', jsonSchemaOptions, options).limits;
  const snapshot = takeSnapshot(schema, maxNodes);
  const analysis = analyse(snapshot);
  const validate = createValidator<T>(analysis, maxSteps);
  const show = (request: JsonSchemaRequest): Record<string, unknown> => published(snapshot, analysis, request);
  return { '~standard': { version: 1, vendor: 'tenon', validate, jsonSchema: { input: show, output: show } } };
}

/** The schema as it was written. A draft-07 schema says so in `$schema`, so it stands for itself under any target. */
function published(snapshot: Json, { dialect }: Analysis, { target }: JsonSchemaRequest): Record<string, unknown> {
  if (dialect === 'draft-2020-12' && target !== 'draft-2020-12') {
    throw refusal('', `is written in ${dialect} and has no form in ${target}.`, `Ask for ${dialect}.`);
  }
  if (typeof snapshot === 'boolean') return snapshot ? {} : { not: {} };
  return snapshot as Record<string, unknown>;
}

/** How many times more a step costs in typebox's interpreter, and in its search for errors. */
const interpreterFactor = 10;
const explainerFactor = 100;

/** Values of a sample in which errors are searched. */
const maxSampled = 10_000;

type Validate<T> = (value: unknown) => StandardResult<T>;

function createValidator<T>(analysis: Analysis, maxSteps: number): Validate<T> {
  const budget = createBudget();
  const fill = createFiller(analysis, budget);
  const prepare = namesInherited(analysis) ? withoutInheritance : (value: unknown) => value;
  const compiled = compile(analysis, budget);
  const checkSteps = compiled.accelerated() ? maxSteps : maxSteps / interpreterFactor;

  const check = (value: unknown): StandardResult<T> => {
    budget.refill(checkSteps);
    const filled = fill(value);
    const prepared = prepare(filled);
    if (compiled.accepts(rootEntry, prepared)) return { value: filled as T };
    budget.refill(maxSteps / explainerFactor);
    return unlessSpent(() => ({ issues: compiled.issues(rootEntry, prepared) }), 'does not match the schema');
  };

  return (value) => {
    if (isDeeperThan(maxValueDepth, value)) return failure(`is nested deeper than ${maxValueDepth} levels`);
    return unlessSpent(() => check(value), 'takes too much work to check');
  };
}

function unlessSpent<T>(work: () => StandardResult<T>, otherwise: string): StandardResult<T> {
  try {
    return work();
  } catch (error) {
    // A RangeError is a stack overflow by a long chain of references.
    if (error instanceof BudgetSpent || error instanceof RangeError) return failure(otherwise);
    throw error;
  }
}

function failure(message: string): StandardResult<never> {
  return { issues: [{ path: [], message }] };
}

interface CompiledSchema extends EntryValidator {
  /** Whether it runs code made for the schema, not an interpreter. */
  readonly accelerated: () => boolean;
  readonly issues: (entry: string, value: unknown) => Issue[];
}

function compile(analysis: Analysis, budget: Budget): CompiledSchema {
  const compiled: CompiledSchema = {
    accelerated: () => validator.IsAccelerated(),
    accepts: (entry, value) => validator.Check({ [entry]: value }),
    issues: (entry, value) => {
      const sample = sampleOf(value, maxSampled);
      return explain(validator.Errors({ [entry]: sample.value })[1], sample);
    },
    firstMessage: (entry, value) => compiled.issues(entry, value)[0]?.message ?? 'does not match the schema',
  };
  const { schema, linkReferences } = lowerDocument(analysis, { budget, entryValidator: compiled });
  const validator = compileDocument(schema);
  linkReferences();
  return compiled;
}

function compileDocument(schema: object): Validator {
  try {
    return Compile(schema);
  } catch (cause) {
    const hint = 'Shorten its lists, its chains of references and its nesting.';
    throw refusal('', 'cannot be compiled.', hint, cause);
  }
}
