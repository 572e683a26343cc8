/** The keywords that typebox does not check as we need them, each as a function of the value. */

import { shorten } from '../../schema/issues.ts';
import { type Json, type JsonObject, own } from '../analysis/snapshot.ts';
import type { Budget } from '../budget.ts';
import { below } from '../limits.ts';
import { allDifferent, membership } from './equality.ts';
import { formats } from './formats.ts';
import type { Matcher } from './patterns.ts';

/** typebox's own hook for such functions. */
export interface Refinement {
  readonly check: (value: unknown) => boolean;
  readonly error: (value: unknown) => string;
}

export interface RefinementTools {
  readonly budget: Budget;
  readonly compile: (pattern: string, pointer: string) => Matcher;
}

/** Refinements for `const`, `enum`, `format`, `pattern` and `uniqueItems` of a schema. */
export function refinementsOf(node: JsonObject, pointer: string, tools: RefinementTools): Refinement[] {
  const { budget, compile } = tools;
  const found: Refinement[] = [];
  const add = (check: (value: unknown) => boolean, text: string): number => found.push({ check, error: () => text });

  const constant = own(node, 'const');
  if (constant !== undefined) add(membership([constant]), `expected ${shown(constant)}`);

  const members = own(node, 'enum');
  if (Array.isArray(members)) add(membership(members), membersText(members));

  const format = own(node, 'format');
  const hasFormat = typeof format === 'string' ? formats.get(format) : undefined;
  if (hasFormat !== undefined) {
    add(
      (value) => typeof value !== 'string' || (budget.spend(value.length / 4), hasFormat(value)),
      `expected a text in the format ${String(format)}`,
    );
  }

  const pattern = own(node, 'pattern');
  if (typeof pattern === 'string') {
    const matches = compile(pattern, below(pointer, 'pattern'));
    add(
      (value) => typeof value !== 'string' || (budget.spend(value.length * matches.stepsPerChar), matches(value)),
      `does not match the pattern ${shorten(pattern, 100)}`,
    );
  }

  if (own(node, 'uniqueItems') === true) {
    add((value) => !Array.isArray(value) || allDifferent(value, budget), 'must not hold the same item twice');
  }
  return found;
}

function shown(value: Json): string {
  return shorten(JSON.stringify(value), 60);
}

function membersText(members: readonly Json[]): string {
  const first = members.slice(0, 10).map(shown);
  const rest = members.length - first.length;
  return `expected one of ${shorten(first.join(', '), 150)}${rest > 0 ? ` and ${rest} more` : ''}`;
}
