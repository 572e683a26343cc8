/** A policy in the plainest words: every rule is compared with every request. The compiled one must decide alike. */
import type {
  DecisionRequest,
  PolicyEffect,
  PolicyRule,
  RulePrincipals,
  RuleTargets,
} from '../../../src/guard/index.ts';

type Match = 'yes' | 'no' | 'failed';

/** The conditions that random policies use, with what they mean. */
export const conditions: Readonly<
  Record<string, (args: Readonly<Record<string, unknown>>, request: DecisionRequest) => Match>
> = {
  'args.env == "prod"': (args) => (!('env' in args) ? 'failed' : args.env === 'prod' ? 'yes' : 'no'),
  'args.n > 3': (args) => (typeof args.n !== 'number' ? 'failed' : args.n > 3 ? 'yes' : 'no'),
  'has(args.env)': (args) => ('env' in args ? 'yes' : 'no'),
  'args.list.exists(x, x == "b")': (args) =>
    !Array.isArray(args.list) ? 'failed' : args.list.includes('b') ? 'yes' : 'no',
  'principal.subject == "alice"': (_, { principal }) =>
    principal === undefined ? 'failed' : principal.subject === 'alice' ? 'yes' : 'no',
  'has(principal.client)': (_, { principal }) => (principal?.client === undefined ? 'no' : 'yes'),
  'principal.claims.team == "web"': (_, { principal }) =>
    principal?.claims.team === undefined ? 'failed' : principal.claims.team === 'web' ? 'yes' : 'no',
  'address == "10.1.1.1"': (_, { address }) =>
    address === undefined ? 'failed' : address === '10.1.1.1' ? 'yes' : 'no',
  'action == "read" || target.tool == "ab"': (_, { action, target }) =>
    action === 'read' ? 'yes' : target.tool === undefined ? 'failed' : target.tool === 'ab' ? 'yes' : 'no',
};

export function referenceDecision(
  rules: readonly PolicyRule[],
  request: DecisionRequest,
): { readonly effect: PolicyEffect; readonly rule: string | undefined } {
  const { resource } = request.target;
  if (resource?.includes('..')) return { effect: 'deny', rule: undefined };
  const matches = rules.map((rule) => ({
    rule,
    match: rule.actions.includes(request.action) ? matchOf(rule, request) : 'no',
  }));
  const first = (effect: PolicyEffect, ...wanted: readonly Match[]) =>
    matches.find(({ rule, match }) => rule.effect === effect && wanted.includes(match as Match))?.rule.id;
  const deny = first('deny', 'yes', 'failed');
  if (deny !== undefined) return { effect: 'deny', rule: deny };
  const ask = first('ask', 'yes');
  if (ask !== undefined) return { effect: 'ask', rule: ask };
  const allow = first('allow', 'yes');
  if (allow === undefined) return { effect: 'deny', rule: undefined };
  const uncertain = first('ask', 'failed');
  return uncertain === undefined ? { effect: 'allow', rule: allow } : { effect: 'ask', rule: uncertain };
}

function matchOf({ to, on, when }: PolicyRule, request: DecisionRequest): Match {
  const parts = new Set<Match>([
    matchTo(to, request),
    matchOn(on, request),
    when === undefined ? 'yes' : (conditions[when]?.(request.arguments ?? {}, request) ?? 'failed'),
  ]);
  return parts.has('no') ? 'no' : parts.has('failed') ? 'failed' : 'yes';
}

function matchTo(to: PolicyRule['to'], { principal, address }: DecisionRequest): Match {
  if (to === 'any') return 'yes';
  if (to === 'authenticated') return principal === undefined ? 'no' : 'yes';
  const { network, ...rest } = to;
  const has: Record<keyof Omit<RulePrincipals, 'network'>, readonly (string | undefined)[]> = {
    issuer: [principal?.issuer],
    subject: [principal?.subject],
    client: [principal?.client],
    scope: principal?.scopes ?? [],
    role: principal?.roles ?? [],
  };
  for (const [name, wanted] of Object.entries(rest)) {
    if (!wanted.some((one: string) => has[name as keyof typeof has].includes(one))) return 'no';
  }
  if (network === undefined) return 'yes';
  if (address === undefined) return 'failed';
  // The random networks are of the form a.0.0.0/8 and a::/16.
  return network.some((one) => address.startsWith(one.split(/[.:]/)[0] as string)) ? 'yes' : 'no';
}

function matchOn(on: 'any' | RuleTargets, { target }: DecisionRequest): Match {
  if (on === 'any') return 'yes';
  const { server, ...kinds } = on;
  const glob = (pattern: string, star: string): RegExp =>
    new RegExp(
      `^${pattern.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replace(/\*+/g, (found) => (found.length > 1 ? '.*' : star))}$`,
      's',
    );
  const holds = (patterns: readonly string[], text: string | undefined, star: string): boolean =>
    text !== undefined && patterns.some((pattern) => glob(pattern, star).test(text));
  if (server !== undefined && !holds(server, target.server, '.*')) return 'no';
  if (Object.keys(kinds).length === 0) return 'yes';
  // A handler may ignore the query, and may decode escapes. The pattern is read as the URI is.
  const asIs = (text: string): string => text;
  const readings = [asIs, decodeURIComponent].flatMap((decode) => [
    { decode, cut: asIs },
    { decode, cut: (text: string) => text.replace(/[?#].*$/, '') },
  ]);
  const results = readings.map(({ decode, cut }) =>
    Object.entries(kinds).some(([kind, patterns]) => {
      const name = target[kind as keyof typeof target];
      if (kind !== 'resource' || name === undefined) return holds(patterns, name, '.*');
      return patterns.some((one: string) => holds([decode(one)], decode(/[?#]/.test(one) ? name : cut(name)), '[^/]*'));
    }),
  );
  return results.every(Boolean) ? 'yes' : results.some(Boolean) ? 'failed' : 'no';
}
