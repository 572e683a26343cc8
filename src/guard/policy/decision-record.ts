/** Reads decisions from the records of an audit log. */
import type { Principal } from '../../ports/principal.ts';
import type { UnknownValues } from './condition-values.ts';
import type { DecisionRequest } from './decision.ts';
import {
  type PolicyAction,
  type PolicyEffect,
  type PolicyTarget,
  policyActions,
  policyEffects,
  targetKinds,
} from './rule.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a record of an audit log has of a decision: those of kind `decision` and `call-start`, as `searchAudit` returns them. */
export interface DecisionFields {
  /** `principal`, `issuer`, `subject`, `client`, `scopes`, `roles`, and `address`. */
  readonly who?: Fields | undefined;
  /** `action`, and the names of the target: `server`, `tool`, `resource`, `template`, `prompt`. */
  readonly what?: Fields | undefined;
  /** `decisionId`, `effect`, and `rule`. */
  readonly decision?: Fields | undefined;
  /** `arguments`, `claims` of the principal, and the `resource` that a template matched, if they are still stored and were asked for. */
  readonly private?: Fields | undefined;
  /** The names of the private values that the record had. */
  readonly sealed?: Fields | undefined;
}

/** A past decision with its request. */
export interface DecisionRecord extends DecisionRequest {
  /** Names the decision. */
  readonly decisionId: string;
  /** What was decided. */
  readonly effect: PolicyEffect;
  /** The id of the rule. */
  readonly rule?: string | undefined;
  /** The values of the request that are not known any more. */
  readonly unknown?: UnknownValues | undefined;
}

/** A past decision whose request is not known: it was too long for its record. */
export type DecisionWithoutRequest = Pick<DecisionRecord, 'decisionId' | 'effect' | 'rule'>;

/** The decision of a record; `undefined` for records that have none. */
export function readDecision(record: DecisionFields): DecisionRecord | DecisionWithoutRequest | undefined {
  const { decision = {}, sealed = {}, private: values = {} } = record;
  const { decisionId, effect } = decision;
  if (typeof decisionId !== 'string' || !isOneOf(policyEffects, effect)) return undefined;
  const made: DecisionWithoutRequest = { decisionId, effect, rule: text(decision.rule) };
  const [who, what] = [fieldsOf(record, 'who'), fieldsOf(record, 'what')];
  if (who === undefined || what === undefined) return made;
  if (!isOneOf<PolicyAction>(policyActions, what.action)) return undefined;
  const resource = text(values.resource);
  if (resource === undefined && 'resource' in sealed) return made;
  const unknown: UnknownValues = {
    arguments: !isFields(values.arguments) && 'arguments' in sealed,
    claims: !isFields(values.claims) && 'claims' in sealed,
  };
  return {
    ...made,
    principal: principalOf(who, isFields(values.claims) ? values.claims : {}),
    address: text(who.address),
    action: what.action,
    target: targetOf(resource === undefined ? what : { ...what, resource }),
    arguments: isFields(values.arguments) ? values.arguments : undefined,
    ...((unknown.arguments || unknown.claims) && { unknown }),
  };
}

/** A log stores fields that are too long as a private value, and has their length in their place. */
function fieldsOf(record: DecisionFields, name: 'who' | 'what'): Fields | undefined {
  const fields = record[name] ?? {};
  if (!('omittedChars' in fields)) return fields;
  const stored = record.private?.[`record.${name}`];
  return isFields(stored) ? stored : undefined;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOneOf = <T extends string>(known: readonly T[], value: unknown): value is T => known.includes(value as T);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const targetOf = (what: Fields): PolicyTarget =>
  Object.fromEntries(
    ['server', ...targetKinds].flatMap((kind) => (text(what[kind]) === undefined ? [] : [[kind, what[kind]]])),
  );

function principalOf(who: Fields, claims: Fields): Principal | undefined {
  const key = text(who.principal);
  if (key === undefined) return undefined;
  const [issuer, subject] = [text(who.issuer) ?? '', text(who.subject) ?? key];
  const [scopes, roles] = [texts(who.scopes), texts(who.roles)];
  return { key, issuer, subject, client: text(who.client), scopes, roles, claims, expiresAt: undefined };
}
