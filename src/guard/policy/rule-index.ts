/** Rules by action, effect and name: a request is compared with those that can be about it. */
import { type CompiledRule, exactNames, matchRule, type Question } from './compiled-rule.ts';
import type { Match } from './conditions/condition.ts';
import {
  type PolicyAction,
  type PolicyEffect,
  policyActions,
  policyEffects,
  type TargetKind,
  targetKinds,
} from './rule.ts';

/** The rules of one action and effect. */
interface Entry {
  /** Rules with wildcards, in the order of the document. */
  readonly general: CompiledRule[];
  /** Rules about exact names only, by kind and name. */
  readonly exact: Map<string, CompiledRule[]>;
}

const keyOf = (kind: TargetKind, name: string): string => `${kind}:${name}`;

export class RuleIndex {
  readonly #entries = new Map<PolicyAction, Record<PolicyEffect, Entry>>();

  constructor(rules: readonly CompiledRule[]) {
    for (const action of policyActions) {
      const of = (effect: PolicyEffect): Entry =>
        entryOf(rules.filter(({ rule }) => rule.effect === effect && rule.actions.includes(action)));
      const [deny, ask, allow] = policyEffects.map(of) as [Entry, Entry, Entry];
      this.#entries.set(action, { deny, ask, allow });
    }
  }

  /** The first rule, in the order of the document, whose match is one of `wanted`. */
  first(effect: PolicyEffect, question: Question, wanted: readonly Match[]): CompiledRule | undefined {
    const entry = this.#entries.get(question.input.action)?.[effect];
    if (entry === undefined) return undefined;
    let found = firstOf(entry.general, question, wanted, undefined);
    if (entry.exact.size === 0) return found;
    const { target } = question.input;
    for (const kind of targetKinds) {
      if (target[kind] === undefined) continue;
      for (const name of kind === 'resource' ? question.readings : [target[kind]]) {
        found = firstOf(entry.exact.get(keyOf(kind, name)), question, wanted, found);
      }
    }
    return found;
  }
}

function entryOf(rules: readonly CompiledRule[]): Entry {
  const entry: Entry = { general: [], exact: new Map() };
  for (const one of rules) {
    const names = exactNames(one.rule);
    if (names === undefined) entry.general.push(one);
    for (const [kind, name] of names ?? []) {
      const key = keyOf(kind, name);
      entry.exact.set(key, [...(entry.exact.get(key) ?? []), one]);
    }
  }
  return entry;
}

/** The first rule that matches and stands before `best`. */
function firstOf(
  rules: readonly CompiledRule[] | undefined,
  question: Question,
  wanted: readonly Match[],
  best: CompiledRule | undefined,
): CompiledRule | undefined {
  for (const one of rules ?? []) {
    if (best !== undefined && one.order >= best.order) return best;
    if (wanted.includes(matchRule(one, question))) return one;
  }
  return best;
}
