/** Rules by action, effect and name: a request is compared with those that can be about it. */

import type { Match } from '../condition.ts';
import { type PolicyAction, type PolicyEffect, policyActions, policyEffects, type TargetKind } from '../rule.ts';
import { type CompiledRule, exactNames, matchRule } from './compiled-rule.ts';
import type { Question } from './question.ts';

/** The rules of one action and effect. */
interface Entry {
  /** Rules with wildcards, in the order of the document. */
  readonly general: CompiledRule[];
  /** Rules about exact names only, by kind and name. */
  readonly exact: Map<TargetKind, Map<string, CompiledRule[]>>;
}

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
    for (const [kind, byName] of entry.exact) {
      const name = question.input.target[kind];
      if (name === undefined) continue;
      if (kind !== 'resource') found = firstOf(byName.get(name), question, wanted, found);
      else
        for (const { compared } of question.readings ?? [])
          found = firstOf(byName.get(compared), question, wanted, found);
    }
    return found;
  }

  /** All rules whose match is one of `wanted`, in the order of the document. */
  all(effect: PolicyEffect, question: Question, wanted: readonly Match[]): readonly CompiledRule[] {
    const entry = this.#entries.get(question.input.action)?.[effect];
    if (entry === undefined) return [];
    const { target } = question.input;
    const names = [...entry.exact].flatMap(([kind, byName]) =>
      kind === 'resource'
        ? (question.readings ?? []).flatMap(({ compared }) => byName.get(compared) ?? [])
        : (byName.get(target[kind] ?? '') ?? []),
    );
    const found = new Set([...entry.general, ...names].filter((one) => wanted.includes(matchRule(one, question))));
    return [...found].sort((one, other) => one.order - other.order);
  }
}

function entryOf(rules: readonly CompiledRule[]): Entry {
  const entry: Entry = { general: [], exact: new Map() };
  for (const one of rules) {
    const names = exactNames(one.rule);
    if (names === undefined) entry.general.push(one);
    for (const [kind, name] of names ?? []) addExact(entry, kind, name, one);
  }
  return entry;
}

function addExact({ exact }: Entry, kind: TargetKind, name: string, one: CompiledRule): void {
  const byName = exact.get(kind) ?? new Map<string, CompiledRule[]>();
  exact.set(kind, byName);
  const same = byName.get(name);
  if (same === undefined) byName.set(name, [one]);
  else same.push(one);
}

/** The first rule that matches and stands before `best`. */
function firstOf(
  rules: readonly CompiledRule[] | undefined,
  question: Question,
  wanted: readonly Match[],
  best: CompiledRule | undefined,
): CompiledRule | undefined {
  if (rules === undefined) return best;
  for (const one of rules) {
    if (best !== undefined && one.order >= best.order) return best;
    const match = matchRule(one, question);
    if (match !== 'no' && wanted.includes(match)) return one;
  }
  return best;
}
