/** Rules by action, effect and name: a request is compared with those that are about its target, which are remembered by name. */

import type { Match } from '../condition.ts';
import { maxRememberedNames, maxRememberedRules } from '../limits.ts';
import {
  type PolicyAction,
  type PolicyEffect,
  type PolicyTarget,
  policyActions,
  policyEffects,
  type TargetKind,
} from '../rule.ts';
import { type CompiledRule, exactNames, matchRule } from './compiled-rule.ts';
import type { Question } from './question.ts';

/** A rule that is about a target: `failed` where that depends on how a handler reads a URI. */
export interface RuleAbout {
  readonly one: CompiledRule;
  readonly on: Match;
}

/** The rules that are about a target, in the order of the document. */
export type RulesAbout = Readonly<Record<PolicyEffect, readonly RuleAbout[]>>;

/** The rules of one action and effect. */
interface Entry {
  /** Rules with wildcards. */
  readonly general: CompiledRule[];
  /** Rules about exact names only, by kind and name. */
  readonly exact: Map<TargetKind, Map<string, CompiledRule[]>>;
}

/** Of one server: by action, kind and name. */
type RememberedRules = Map<PolicyAction, Map<TargetKind, Map<string, RulesAbout>>>;

/** A longer name is not remembered: clients choose the names of features that do not exist. */
const maxRememberedChars = 128;

export class RuleIndex {
  readonly #entries = new Map<PolicyAction, Record<PolicyEffect, Entry>>();
  readonly #remembered = new Map<string | undefined, RememberedRules>();
  /** One list for all names that the same rules are about: of unknown names clients may send any number. */
  readonly #shared = new Map<string, RulesAbout>();
  #names = 0;
  /** In all shared lists. */
  #rules = 0;

  constructor(rules: readonly CompiledRule[]) {
    for (const action of policyActions) {
      const of = (effect: PolicyEffect): Entry =>
        entryOf(rules.filter(({ rule }) => rule.effect === effect && rule.actions.includes(action)));
      const [deny, ask, allow] = policyEffects.map(of) as [Entry, Entry, Entry];
      this.#entries.set(action, { deny, ask, allow });
    }
  }

  /** The rules that are about the target of a request. */
  about(question: Question): RulesAbout {
    const { action, target } = question.input;
    const kind = onlyKind(target);
    const name = kind && target[kind];
    if (kind === undefined || name === undefined || name.length > maxRememberedChars) return this.#find(question);
    const known = this.#remembered.get(target.server)?.get(action)?.get(kind)?.get(name);
    if (known !== undefined) return known;
    const found = this.#share(this.#find(question));
    this.#namesOf(target.server, action, kind).set(name, found);
    return found;
  }

  /** The list that has the same rules, or this one. */
  #share(found: RulesAbout): RulesAbout {
    const key = keyOf(found);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const { deny, ask, allow } = found;
    const count = 1 + deny.length + ask.length + allow.length;
    if (this.#rules + count > maxRememberedRules) this.#forget();
    this.#rules += count;
    this.#shared.set(key, found);
    return found;
  }

  #forget(): void {
    this.#remembered.clear();
    this.#shared.clear();
    this.#names = 0;
    this.#rules = 0;
  }

  /** Where the next name is remembered. */
  #namesOf(server: string | undefined, action: PolicyAction, kind: TargetKind): Map<string, RulesAbout> {
    if (this.#names >= maxRememberedNames) this.#forget();
    this.#names++;
    const ofServer = valueOf(this.#remembered, server, (): RememberedRules => new Map());
    return valueOf(
      valueOf(ofServer, action, () => new Map()),
      kind,
      () => new Map(),
    );
  }

  #find(question: Question): RulesAbout {
    const entries = this.#entries.get(question.input.action);
    if (entries === undefined) return none;
    const { deny, ask, allow } = entries;
    return { deny: rulesAbout(deny, question), ask: rulesAbout(ask, question), allow: rulesAbout(allow, question) };
  }
}

const none: RulesAbout = { deny: [], ask: [], allow: [] };

/** The places of the rules in their document; each rule has one effect. */
const keyOf = ({ deny, ask, allow }: RulesAbout): string =>
  [deny, ask, allow].map((rules) => rules.map(({ one, on }) => `${one.order}${on}`).join()).join(';');

/** The first rule, in the order of the document, whose match is one of `wanted`. */
export function firstOf(
  rules: readonly RuleAbout[],
  question: Question,
  wanted: readonly Match[],
): CompiledRule | undefined {
  for (const { one, on } of rules) {
    const match = matchRule(one, on, question);
    if (match !== 'no' && wanted.includes(match)) return one;
  }
  return undefined;
}

/** All rules whose match is one of `wanted`, in the order of the document. */
export function allOf(
  rules: readonly RuleAbout[],
  question: Question,
  wanted: readonly Match[],
): readonly CompiledRule[] {
  return rules.filter(({ one, on }) => wanted.includes(matchRule(one, on, question))).map(({ one }) => one);
}

/** The kind of a target that has one name. URIs are not remembered: a client may read any number of them. */
function onlyKind({ tool, resource, template, prompt }: PolicyTarget): 'tool' | 'prompt' | 'template' | undefined {
  if (resource !== undefined) return undefined;
  if (tool !== undefined) return template === undefined && prompt === undefined ? 'tool' : undefined;
  if (prompt !== undefined) return template === undefined ? 'prompt' : undefined;
  return template === undefined ? undefined : 'template';
}

function valueOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
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
  const byName = valueOf(exact, kind, () => new Map<string, CompiledRule[]>());
  valueOf(byName, name, (): CompiledRule[] => []).push(one);
}

function rulesAbout({ general, exact }: Entry, question: Question): readonly RuleAbout[] {
  const possible = new Set(general);
  for (const [kind, byName] of exact)
    for (const name of namesIn(question, kind)) for (const one of byName.get(name) ?? []) possible.add(one);
  const found: RuleAbout[] = [];
  for (const one of possible) {
    const on = one.matchOn(question);
    if (on !== 'no') found.push({ one, on });
  }
  return found.sort((a, b) => a.one.order - b.one.order);
}

/** The names of a target of one kind: a URI has several, by how a handler reads it. */
function namesIn({ input: { target }, readings }: Question, kind: TargetKind): readonly string[] {
  if (kind === 'resource') return readings?.map(({ compared }) => compared) ?? [];
  const name = target[kind];
  return name === undefined ? [] : [name];
}
