/** `patternProperties` in linear time: typebox uses native expressions on keys, so they are checked here instead. */

import { isJsonObject, type Json, type JsonObject, own } from '../analysis/snapshot.ts';
import { below, refusal } from '../limits.ts';
import { type Lowered, lowerEach, pointerOf, type SchemaCompiler } from './compiler.ts';
import type { Refinement } from './refinements.ts';

/** Text with an anchor at most, such as `^x-`: native expressions are linear on it. */
const literal = /^\^?[\w-]*\$?$/;

/**
 * Handles `patternProperties`, and the `additionalProperties` that depend on them. Literal patterns stay with typebox;
 * others become refinements, which cannot report evaluated properties, so both together are refused.
 */
export function lowerPatternProperties(
  schema: JsonObject,
  out: Record<string, unknown>,
  compiler: SchemaCompiler,
): Refinement[] {
  const map = own(schema, 'patternProperties');
  if (!isJsonObject(map)) return [];
  const pointer = pointerOf(schema, compiler, 'patternProperties');
  const patterns = Object.keys(map);
  const matchers = patterns.map((pattern) => compiler.compile(pattern, below(pointer, pattern)));
  const lowered = Object.values(map).map((sub) => lowerEach(sub, compiler));
  if (patterns.every((pattern) => literal.test(pattern))) {
    out['patternProperties'] = Object.fromEntries(patterns.map((pattern, index) => [pattern, lowered[index]]));
    return [];
  }
  if (compiler.tracksEvaluation) {
    const hint = 'Use additionalProperties and items, or plain prefixes such as "^x-".';
    throw refusal(pointer, 'cannot be used in a schema with unevaluatedProperties or unevaluatedItems.', hint);
  }
  const rules = matchers.map((matches, index) => ruleOf(matches, lowered[index] ?? true, compiler));
  const rest = out['additionalProperties'] as Lowered | undefined;
  delete out['additionalProperties'];
  if (rest !== undefined) {
    const listed = new Set(Object.keys((own(schema, 'properties') as JsonObject | undefined) ?? {}));
    rules.push(ruleOf((key) => !listed.has(key) && !matchers.some((matches) => matches(key)), rest, compiler));
  }
  // Each key meets every pattern at most twice: for its own rule, and for that of the rest.
  const stepsPerChar = 2 * matchers.reduce((sum, matches) => sum + matches.stepsPerChar, 0);
  return [refine(rules, stepsPerChar, compiler)];
}

/** Which keys, and the entry of the document for their values. */
interface Rule {
  readonly applies: (key: string) => boolean;
  readonly entry: string;
}

function ruleOf(applies: Rule['applies'], lowered: Lowered, { addEntry }: SchemaCompiler): Rule {
  return { applies, entry: addEntry(lowered) };
}

function refine(rules: readonly Rule[], stepsPerChar: number, { budget, entryValidator }: SchemaCompiler): Refinement {
  const failure = (value: unknown): { key: string; member: Json; rule: Rule } | undefined => {
    if (!isJsonObject(value)) return undefined;
    for (const [key, member] of Object.entries(value)) {
      budget.spend(rules.length + key.length * stepsPerChar);
      const rule = rules.find(({ applies, entry }) => applies(key) && !entryValidator.accepts(entry, member));
      if (rule !== undefined) return { key, member, rule };
    }
    return undefined;
  };
  return {
    check: (value) => failure(value) === undefined,
    error: (value) => {
      const found = failure(value);
      if (found === undefined) return 'does not match';
      return `property ${JSON.stringify(found.key)}: ${entryValidator.firstMessage(found.rule.entry, found.member)}`;
    },
  };
}
