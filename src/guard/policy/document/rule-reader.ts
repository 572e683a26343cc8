/** Reads one rule of the document. */
import { isScalar } from 'yaml';
import { nameHint } from '../../../lib/text/nearest-name.ts';
import type { Condition, ConditionCompiler } from '../condition.ts';
import { maxConditionChars } from '../limits.ts';
import { compileNetwork } from '../matching/networks.ts';
import { uriPatternProblem } from '../matching/uri-patterns.ts';
import {
  type PolicyAction,
  type PolicyEffect,
  type PolicyRule,
  policyActions,
  policyEffects,
  targetKinds,
} from '../rule.ts';
import { askingMembers, readAsking } from './asking-reader.ts';
import { readTexts } from './rule-texts.ts';
import type { Member, PolicyNode, PolicySource } from './source.ts';

/** The context of reading rules: compiled conditions are stored by the id of their rule. */
export interface RuleReader {
  readonly source: PolicySource;
  readonly compiler: ConditionCompiler;
  readonly conditions: Map<string, Condition>;
}

const ruleMembers = ['id', ...policyEffects, 'to', 'on', 'when', ...askingMembers, 'description'];
const principalMembers = ['issuer', 'subject', 'scope', 'role', 'client', 'network'] as const;
const targetMembers = ['server', ...targetKinds] as const;
/** Words that `expect` of a test uses for effects. */
const reserved = new Set<string>([...policyEffects, 'default']);

type Members = ReadonlyMap<string, Member>;

export function readRule(reader: RuleReader, node: PolicyNode, place: string): PolicyRule | undefined {
  const { source } = reader;
  const members = source.members(node, place, ruleMembers);
  if (members === undefined) return undefined;
  const id = readId(source, node, members, place);
  const effect = readEffect(source, node, members, place);
  const actions = effect && readActions(source, members.get(effect)?.value, `${place}.${effect}`, effect);
  const to = readTo(source, members.get('to')?.value ?? node, `${place}.to`, members.has('to'));
  const on = readOn(source, members.get('on')?.value ?? node, `${place}.on`, members.has('on'));
  const when = readWhen(reader, members.get('when'), `${place}.when`, id);
  const asking = readAsking(source, members, place, effect, actions);
  const description = members.get('description');
  const about = description && source.text(description.value, `${place}.description`);
  if (id === undefined || effect === undefined || actions === undefined || to === undefined || on === undefined) {
    return undefined;
  }
  return {
    id,
    effect,
    actions,
    to,
    on,
    ...asking,
    ...(when !== undefined && { when }),
    ...(about !== undefined && { description: about }),
    ...source.positionOf(node),
  };
}

function readId(source: PolicySource, node: PolicyNode, members: Members, place: string): string | undefined {
  const member = members.get('id');
  if (member === undefined) return source.report(node, place, 'has no id', 'Decisions name the rule by it: id: read.');
  const id = source.text(member.value, `${place}.id`);
  if (id === undefined || !reserved.has(id)) return id;
  return source.report(member.value, `${place}.id`, `is ${id}`, 'Tests use this word for an effect; take another id.');
}

function readEffect(source: PolicySource, node: PolicyNode, members: Members, place: string): PolicyEffect | undefined {
  const [effect, other] = policyEffects.filter((one) => members.has(one));
  if (effect === undefined) {
    return source.report(node, place, 'has no effect', 'Write one of allow, deny, ask with a list of actions.');
  }
  if (other === undefined) return effect;
  return source.report(node, place, `has ${effect} and ${other}`, 'Write one rule for each effect.');
}

function readActions(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  effect: PolicyEffect,
): readonly PolicyAction[] | undefined {
  const texts = source.texts(node, place);
  return texts?.flatMap(([text, at]) => {
    if (!policyActions.includes(text as never)) {
      source.report(at, place, `has ${text}, which is not an action`, nameHint(text, policyActions));
    } else if (effect === 'ask' && text === 'list') {
      source.report(at, place, 'has list', 'A user is not asked what a list shows; use allow or deny.');
    } else return [text as PolicyAction];
    return [];
  });
}

function readTo(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  isPresent: boolean,
): PolicyRule['to'] | undefined {
  const hint = `Write any, authenticated, or an object with ${principalMembers.join(', ')}.`;
  if (!isPresent) return source.report(node, place, 'is missing', hint);
  if (isScalar(node)) {
    if (node.value === 'any' || node.value === 'authenticated') return node.value;
    return source.report(node, place, 'is not known', hint);
  }
  const members = source.members(node, place, principalMembers);
  if (members === undefined) return undefined;
  if (members.size === 0) return source.report(node, place, 'is empty', hint);
  return readTexts(source, members, place, (name, text) => {
    if (name !== 'network' || compileNetwork(text) !== undefined) return undefined;
    return ['is not a network', 'Write an address, or a network such as 10.0.0.0/8.'];
  });
}

function readOn(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  isPresent: boolean,
): PolicyRule['on'] | undefined {
  const hint = `Write any, or an object with ${targetMembers.join(', ')}.`;
  if (!isPresent) return source.report(node, place, 'is missing', hint);
  if (isScalar(node)) return node.value === 'any' ? 'any' : source.report(node, place, 'is not known', hint);
  const members = source.members(node, place, targetMembers);
  if (members === undefined) return undefined;
  if (members.size === 0) return source.report(node, place, 'is empty', hint);
  return readTexts(source, members, place, (name, pattern) => {
    if (name !== 'resource') return undefined;
    const problem = uriPatternProblem(pattern);
    if (problem === undefined) return undefined;
    return [problem, 'It would match nothing: only canonical URIs are allowed. All resources are "**".'];
  });
}

function readWhen(
  { source, compiler, conditions }: RuleReader,
  member: Member | undefined,
  place: string,
  id: string | undefined,
): string | undefined {
  if (member === undefined) return undefined;
  const text = source.text(member.value, place, maxConditionChars);
  if (text === undefined) return undefined;
  const compiled = compiler.compile(text);
  if ('problem' in compiled) {
    return source.reportInside(member.value, compiled.offset, place, compiled.problem, compiled.hint);
  }
  if (id !== undefined && !conditions.has(id)) conditions.set(id, compiled);
  return text;
}
