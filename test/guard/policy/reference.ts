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
export const conditions: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => Match>> = {
  'args.env == "prod"': (args) => (!('env' in args) ? 'failed' : args.env === 'prod' ? 'yes' : 'no'),
  'args.n > 3': (args) => (typeof args.n !== 'number' ? 'failed' : args.n > 3 ? 'yes' : 'no'),
  'has(args.env)': (args) => ('env' in args ? 'yes' : 'no'),
  'args.list.exists(x, x == "b")': (args) =>
    !Array.isArray(args.list) ? 'failed' : args.list.includes('b') ? 'yes' : 'no',
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
    when === undefined ? 'yes' : (conditions[when]?.(request.arguments ?? {}) ?? 'failed'),
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
  // The random networks are of the form a.0.0.0/8.
  return network.some((one) => address.startsWith(`${one.split('.')[0]}.`)) ? 'yes' : 'no';
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
  const decoded = target.resource?.replaceAll('%2F', '/');
  const results = [target, { ...target, resource: decoded }].map((one) =>
    Object.entries(kinds).some(([kind, patterns]) =>
      holds(patterns, one[kind as keyof typeof one], kind === 'resource' ? '[^/]*' : '.*'),
    ),
  );
  return results.every(Boolean) ? 'yes' : results.some(Boolean) ? 'failed' : 'no';
}
