/** Reads one assertion of the member `tests` of a policy. */
import { isScalar } from 'yaml';
import { nameHint } from '../../../lib/text/nearest-name.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { DecisionRequest } from '../condition-values.ts';
import { type PolicyAction, type PolicyTarget, policyActions, policyEffects, targetKinds } from '../rule.ts';
import type { Member, PolicyNode, PolicySource } from './source.ts';

/** One assertion: what a request is expected to get. */
export interface PolicyTest {
  /** The request. */
  readonly request: DecisionRequest;
  /** The id of a rule, an effect, or `default` for what no rule allows. */
  readonly expect: string;
  /** Where it is in the document, from 1. */
  readonly line: number;
  /** Where it is in the line, from 1. */
  readonly column: number;
}

const asMembers = ['issuer', 'subject', 'client', 'scopes', 'roles', 'claims', 'address'];
/** What a plain name is, by action. */
const kindOf: Partial<Record<PolicyAction, keyof PolicyTarget>> = {
  call: 'tool',
  read: 'resource',
  subscribe: 'resource',
  get: 'prompt',
  sample: 'server',
  elicit: 'server',
};

export function readTest(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  ids: readonly string[] | undefined,
): PolicyTest | undefined {
  const members = source.members(node, place, ['as', 'args', 'expect', ...policyActions]);
  if (members === undefined) return undefined;
  const [action, other] = policyActions.filter((one) => members.has(one));
  if (action === undefined || other !== undefined) {
    return source.report(node, place, 'does not have one action', 'Write one, with its target: call: deploy.');
  }
  const target = readTarget(source, members.get(action)?.value, `${place}.${action}`, action);
  const caller = readAs(source, members.get('as'), `${place}.as`);
  const args = readObject(source, members.get('args'), `${place}.args`);
  const expect = readExpect(source, members.get('expect')?.value ?? node, `${place}.expect`, ids);
  if (target === undefined || expect === undefined) return undefined;
  return { request: { ...caller, action, target, arguments: args }, expect, ...source.positionOf(node) };
}

function readExpect(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  ids: readonly string[] | undefined,
): string | undefined {
  const expect = source.text(node, place);
  const known = [...(ids ?? []), ...policyEffects, 'default'];
  if (expect === undefined || ids === undefined || known.includes(expect)) return expect;
  return source.report(node, place, `is ${expect}, which no rule has as id`, nameHint(expect, known));
}

function readTarget(
  source: PolicySource,
  node: PolicyNode,
  place: string,
  action: PolicyAction,
): PolicyTarget | undefined {
  const kind = kindOf[action];
  if (isScalar(node) && kind !== undefined) {
    const name = source.text(node, place);
    return name === undefined ? undefined : { [kind]: name };
  }
  const members = source.members(node, place, ['server', ...targetKinds]);
  return (
    members &&
    Object.fromEntries([...members].map(([name, { value }]) => [name, source.text(value, `${place}.${name}`)]))
  );
}

/** Without `as` the request has no principal; with only an address neither. */
function readAs(
  source: PolicySource,
  member: Member | undefined,
  place: string,
): { readonly principal?: Principal; readonly address?: string } {
  const members = member && source.members(member.value, place, asMembers);
  if (members === undefined) return {};
  const text = (name: string): string | undefined =>
    members.has(name) ? source.text(members.get(name)?.value, `${place}.${name}`) : undefined;
  const texts = (name: string): readonly string[] =>
    members.has(name) ? (source.texts(members.get(name)?.value, `${place}.${name}`) ?? []).map(([one]) => one) : [];
  const [issuer, subject, address] = [text('issuer') ?? '', text('subject') ?? 'test', text('address')];
  const principal: Principal = {
    key: JSON.stringify([issuer, subject]),
    issuer,
    subject,
    client: text('client'),
    scopes: texts('scopes'),
    roles: texts('roles'),
    claims: readObject(source, members.get('claims'), `${place}.claims`) ?? {},
    expiresAt: undefined,
  };
  const anonymous = members.size === 1 && address !== undefined;
  return { ...(!anonymous && { principal }), ...(address !== undefined && { address }) };
}

function readObject(
  source: PolicySource,
  member: Member | undefined,
  place: string,
): Readonly<Record<string, unknown>> | undefined {
  if (member === undefined) return undefined;
  const value: unknown = (member.value as { toJSON?: () => unknown } | null)?.toJSON?.();
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return source.report(member.value, place, 'is not an object', 'Write an object: {env: prod}.');
}
