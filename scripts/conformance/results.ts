/** Reads the requirements of the suite and its results. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Check, Scenario } from './summary.ts';

/** The side under test. */
export type Side = 'server' | 'client' | 'authorization' | 'gateway';

interface RequirementSet {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

const list = new URL('../../conformance/extension-scenarios.json', import.meta.url);
const extensionScenarios = JSON.parse(readFileSync(list, 'utf8')) as Record<
  Exclude<Side, 'gateway'>,
  readonly string[]
>;

/** The scenarios of a set: the required ones, those without a score, and those of extensions. No set has any of authorization servers. */
function namesIn(given: Side, requirements: string, revision: string): string[] {
  const side = given === 'gateway' ? 'server' : given;
  if (side === 'authorization') return [...extensionScenarios[side]];
  const set = parse(readFileSync(join(requirements, `${revision}.yaml`), 'utf8')) as RequirementSet;
  const unscored = set.not_scored.flatMap(({ scenario, leg }) => (leg === side ? [scenario] : []));
  return [...set[side], ...unscored, ...extensionScenarios[side]];
}

/** Every scenario of the set of one run, with its checks. Its name begins with the revision of the set. */
export const readScenarios = (side: Side, run: string, requirements: string, results: string): Scenario[] =>
  scenariosIn(side, run, namesIn(side, requirements, run.split(' ')[0] as string), results);

/** The scenarios with these names, with their checks. */
export function scenariosIn(side: Side, run: string, names: readonly string[], results: string): Scenario[] {
  const folders = existsSync(results) ? readdirSync(results, { recursive: true }).map(String) : [];
  return names.map((name) => {
    const folder = folders.find((one) => scenarioOf(one) === prefixes[side] + name);
    const checks = folder && (JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    return { revision: run, name, checks: checks || undefined };
  });
}

/** A result folder has a prefix for the side, the name of the scenario, and a timestamp. */
const prefixes: Readonly<Record<Side, string>> = {
  server: 'server-',
  client: '',
  authorization: 'authorization-server-',
  gateway: 'server-',
};

const scenarioOf = (folder: string): string | undefined => /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
