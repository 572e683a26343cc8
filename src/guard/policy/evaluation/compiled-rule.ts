/** One compiled rule: matches principals, targets and the condition. */
import { isNamed } from '../../../ports/approval.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { Condition, Match } from '../condition.ts';
import { decodeUri, type UriReading } from '../matching/canonical-uri.ts';
import { compileNetwork } from '../matching/networks.ts';
import { compileGlob, hasWildcard, type MatchText } from '../matching/patterns.ts';
import { compileUriPattern, type MatchReading } from '../matching/uri-patterns.ts';
import { type PolicyRule, type RulePrincipals, type TargetKind, targetKinds } from '../rule.ts';
import type { Question } from './question.ts';

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

/** Whether a rule that is about the target matches: `no` if any other part does not; else `failed` if any part is unknown. */
export function matchRule({ rule, matchTo, condition }: CompiledRule, on: Match, question: Question): Match {
  const to = matchTo(question);
  if (to === 'no') return 'no';
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
  const { client } = wanted;
  if (client !== undefined && (principal.client === undefined || !client.includes(principal.client))) return false;
  return isNamed(wanted, principal);
}

/** The kinds that are names; resources are URIs. */
const nameKinds = ['tool', 'template', 'prompt'] as const;

function compileOn({ on }: PolicyRule): (question: Question) => Match {
  if (on === 'any') return always;
  const server = on.server && compileNames(on.server);
  const names = nameKinds.flatMap((kind) => {
    const patterns = on[kind];
    return patterns === undefined ? [] : [{ kind, holds: compileNames(patterns) }];
  });
  const uris = on.resource?.map(compileUriPattern);
  const anyKind = names.length === 0 && uris === undefined;
  return ({ input: { target }, readings }) => {
    if (server !== undefined && (target.server === undefined || !server(target.server))) return 'no';
    if (anyKind) return 'yes';
    for (const { kind, holds } of names) {
      const name = target[kind];
      if (name !== undefined && holds(name)) return 'yes';
    }
    return uris === undefined || readings === undefined ? 'no' : matchReadings(uris, readings);
  };
}

function compileNames(patterns: readonly string[]): MatchText {
  const compiled = patterns.map((pattern) => compileGlob(pattern));
  const [first] = compiled;
  if (compiled.length === 1 && first !== undefined) return first;
  return (name) => {
    for (const holds of compiled) if (holds(name)) return true;
    return false;
  };
}

/** `failed` where it depends on how a handler reads the URI. */
function matchReadings(patterns: readonly MatchReading[], readings: readonly UriReading[]): Match {
  let matching = 0;
  for (const reading of readings) {
    for (const holds of patterns) {
      if (!holds(reading)) continue;
      matching++;
      break;
    }
  }
  return matching === 0 ? 'no' : matching === readings.length ? 'yes' : 'failed';
}

/** The exact names a rule is about; `undefined` where it has a wildcard, or is about every name. */
export function exactNames({ on }: PolicyRule): readonly (readonly [TargetKind, string])[] | undefined {
  if (on === 'any') return undefined;
  const names = targetKinds.flatMap((kind) => (on[kind] ?? []).map((name) => [kind, name] as const));
  if (names.length === 0 || names.some(([, name]) => hasWildcard(name))) return undefined;
  const decoded = (on.resource ?? []).flatMap((uri) => decodeUri(uri) ?? []);
  const more = decoded.filter((uri) => !on.resource?.includes(uri));
  return [...names, ...more.map((uri) => ['resource', uri] as const)];
}
