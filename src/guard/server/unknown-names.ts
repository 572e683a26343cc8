/** Names in a policy and in limits that a server does not have: a rule with such a name never matches. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { nearestName } from '../../lib/text/nearest-name.ts';
import type { NamedFeatures } from '../../ports/guard.ts';
import type { GuardLimits } from '../limits/options.ts';
import { compileGlob, hasWildcard } from '../policy/matching/patterns.ts';
import type { Policy } from '../policy/policy.ts';
import { type PolicyRule, type TargetKind, targetKinds } from '../policy/rule.ts';

interface Naming {
  readonly place: string;
  readonly kind: TargetKind;
  readonly name: string;
}

/** One error for all of them; `undefined` if the server has every name. Patterns may match nothing. */
export function unknownNames(
  { rules }: Pick<Policy, 'rules'>,
  limits: GuardLimits | undefined,
  features: NamedFeatures,
  server: string | undefined,
  otherwise: 'error' | 'warn',
): TenonError | undefined {
  const namings = [...rules.filter((rule) => isAbout(rule, server)).flatMap(namesIn), ...limitedTools(limits)];
  const unknown = namings.filter(({ kind, name }) => !isKnown(features, kind, name));
  if (unknown.length === 0) return undefined;
  const problems = unknown.map(({ place, kind, name }) => problemOf(place, kind, name, features[kind]));
  const hint =
    otherwise === 'warn'
      ? 'Such a rule never matches here, until update() adds the name.'
      : `Correct it, or set unknownNames: 'warn' of guard() if the name is that of another server, or comes by update().`;
  const [only] = problems;
  const message =
    problems.length === 1
      ? (only as string)
      : `The guard names ${problems.length} features that this server does not have:\n  ${problems.join('\n  ')}`;
  return new TenonError('invalid-definition', message, { hint, details: { names: unknown } });
}

/** Rules about another server have the names of that one. */
const isAbout = ({ on }: PolicyRule, server: string | undefined): boolean =>
  on === 'any' || on.server === undefined || on.server.some((pattern) => compileGlob(pattern)(server ?? ''));

const namesIn = ({ id, line, on }: PolicyRule): Naming[] =>
  on === 'any'
    ? []
    : targetKinds.flatMap((kind) =>
        (on[kind] ?? [])
          .filter((name) => !hasWildcard(name))
          .map((name) => ({ place: `The rule ${id} (line ${line}) of the policy`, kind, name })),
      );

const limitedTools = ({ perTool = {}, costs = {} }: GuardLimits = {}): Naming[] =>
  Object.entries({ perTool, costs }).flatMap(([option, byTool]) =>
    Object.keys(byTool).map((name) => ({ place: `limits.${option} of guard()`, kind: 'tool', name }) as const),
  );

/** A URI is known if a template matches it. */
const isKnown = (features: NamedFeatures, kind: TargetKind, name: string): boolean =>
  features[kind].includes(name) || (kind === 'resource' && features.isResource(name));

function problemOf(place: string, kind: TargetKind, name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return `${place} names the ${kind} ${JSON.stringify(name)}, which this server does not have.${
    meant === undefined ? '' : ` Did you mean ${meant}?`
  }`;
}
