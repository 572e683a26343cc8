/** One rule, ready to be matched: whose request, on what, under which condition. */
import type { Principal } from '../../server/ports/principal.ts';
import type { Condition, ConditionOutcome, Match } from './conditions/condition.ts';
import { type ConditionInput, type ConditionVariables, variablesOf } from './conditions/values.ts';
import { readingsOf } from './matching/canonical-uri.ts';
import { compileNetwork, parseAddress } from './matching/networks.ts';
import { compileGlob, hasWildcard, type MatchText } from './matching/patterns.ts';
import { type PolicyRule, type PolicyTarget, type RulePrincipals, type TargetKind, targetKinds } from './rule.ts';

/** A request while rules are asked about it. What only some rules need is computed once, when the first needs it. */
export class Question {
  readonly input: ConditionInput;
  /** The readings of the resource's URI; one empty reading where there is no resource. */
  readonly readings: readonly string[];
  /** The conditions that were evaluated, by the id of their rule. */
  evaluated: Map<string, ConditionOutcome> | undefined;
  #address: readonly number[] | undefined | 'unread' = 'unread';
  #variables: ConditionVariables | ConditionOutcome | undefined;

  constructor(input: ConditionInput) {
    this.input = input;
    this.readings = input.target.resource === undefined ? noReading : readingsOf(input.target.resource);
  }

  get address(): readonly number[] | undefined {
    const { address } = this.input;
    if (this.#address === 'unread') this.#address = address === undefined ? undefined : parseAddress(address);
    return this.#address;
  }

  evaluate(id: string, condition: Condition): Match {
    this.#variables ??= readVariables(this.input);
    const variables = this.#variables;
    const outcome = isOutcome(variables) ? variables : condition(variables);
    this.evaluated ??= new Map();
    this.evaluated.set(id, outcome);
    return outcome.match;
  }
}

const noReading: readonly string[] = [''];

/** Variables have no member `match`. */
const isOutcome = (value: ConditionVariables | ConditionOutcome): value is ConditionOutcome => 'match' in value;

function readVariables(input: ConditionInput): ConditionVariables | ConditionOutcome {
  try {
    return variablesOf(input);
  } catch (error) {
    return { match: 'failed', reason: error instanceof Error ? error.message : 'the input cannot be read' };
  }
}

export interface CompiledRule {
  readonly rule: PolicyRule;
  /** The place among all rules: of several that match, the first is named. */
  readonly order: number;
  readonly matchTo: (question: Question) => Match;
  readonly matchOn: (question: Question) => Match;
  readonly condition: Condition | undefined;
}

export const compileRule = (rule: PolicyRule, order: number, condition: Condition | undefined): CompiledRule => ({
  rule,
  order,
  condition,
  matchTo: compileTo(rule.to),
  matchOn: compileOn(rule),
});

/** `no` if any part says no; else `failed` if any part cannot be known. */
export function matchRule({ rule, matchTo, matchOn, condition }: CompiledRule, question: Question): Match {
  const to = matchTo(question);
  if (to === 'no') return 'no';
  const on = matchOn(question);
  if (on === 'no') return 'no';
  const when = condition === undefined ? 'yes' : question.evaluate(rule.id, condition);
  if (when === 'no') return 'no';
  return to === 'failed' || on === 'failed' ? 'failed' : when;
}

const always = (): Match => 'yes';

function compileTo(to: PolicyRule['to']): (question: Question) => Match {
  if (to === 'any') return always;
  if (to === 'authenticated') return ({ input }) => (input.principal === undefined ? 'no' : 'yes');
  const { network, ...principals } = to;
  const networks = network?.flatMap((text) => compileNetwork(text) ?? []);
  const ofPrincipal = Object.keys(principals).length > 0;
  return (question) => {
    if (ofPrincipal && !isPrincipal(principals, question.input.principal)) return 'no';
    if (networks === undefined) return 'yes';
    const { address } = question;
    // Without an address no network can be excluded.
    if (address === undefined) return 'failed';
    return networks.some((holds) => holds(address)) ? 'yes' : 'no';
  };
}

function isPrincipal(wanted: RulePrincipals, principal: Principal | undefined): boolean {
  if (principal === undefined) return false;
  const { issuer, subject, client, scope, role } = wanted;
  if (issuer !== undefined && !issuer.includes(principal.issuer)) return false;
  if (subject !== undefined && !subject.includes(principal.subject)) return false;
  if (client !== undefined && (principal.client === undefined || !client.includes(principal.client))) return false;
  if (scope !== undefined && !scope.some((one) => principal.scopes.includes(one))) return false;
  return role === undefined || role.some((one) => principal.roles.includes(one));
}

function compileOn({ on }: PolicyRule): (question: Question) => Match {
  if (on === 'any') return always;
  const servers = on.server?.map((pattern) => compileGlob(pattern));
  const kinds = targetKinds.flatMap((kind) => {
    const patterns = on[kind]?.map((pattern) => compileGlob(pattern, kind === 'resource' ? '/' : undefined));
    return patterns === undefined ? [] : [{ kind, patterns }];
  });
  return ({ input: { target }, readings }) => {
    if (servers !== undefined && !matchesAny(servers, target.server)) return 'no';
    if (kinds.length === 0) return 'yes';
    const matching = readings.filter((reading) =>
      kinds.some(({ kind, patterns }) =>
        matchesAny(patterns, kind === 'resource' ? resourceOf(target, reading) : target[kind]),
      ),
    );
    // Handlers may read a URI with encoded separators in one way or the other.
    return matching.length === readings.length ? 'yes' : matching.length === 0 ? 'no' : 'failed';
  };
}

const resourceOf = ({ resource }: PolicyTarget, reading: string): string | undefined =>
  resource === undefined ? undefined : reading;

const matchesAny = (patterns: readonly MatchText[], text: string | undefined): boolean =>
  text !== undefined && patterns.some((holds) => holds(text));

/** The exact names a rule is about; `undefined` where it has a wildcard, or is about every name. */
export function exactNames({ on }: PolicyRule): readonly (readonly [TargetKind, string])[] | undefined {
  if (on === 'any') return undefined;
  const names = targetKinds.flatMap((kind) => (on[kind] ?? []).map((name) => [kind, name] as const));
  return names.length === 0 || names.some(([, name]) => hasWildcard(name)) ? undefined : names;
}
