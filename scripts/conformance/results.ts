/** Reads the requirements of the suite and its results. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Check, Scenario } from './summary.ts';

/** The side under test. */
export type Side = 'server' | 'client' | 'authorization';

interface RequirementSet {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

const list = new URL('../../conformance/extension-scenarios.json', import.meta.url);
const extensionScenarios = JSON.parse(readFileSync(list, 'utf8')) as Record<Side, readonly string[]>;

/** The scenarios of a set: the required ones, those without a score, and those of extensions. No set has any of authorization servers. */
function namesIn(side: Side, requirements: string, revision: string): string[] {
  if (side === 'authorization') return [...extensionScenarios[side]];
  const set = parse(readFileSync(join(requirements, `${revision}.yaml`), 'utf8')) as RequirementSet;
  const unscored = set.not_scored.flatMap(({ scenario, leg }) => (leg === side ? [scenario] : []));
  return [...set[side], ...unscored, ...extensionScenarios[side]];
}

/** Every scenario of one revision's set, with its checks. */
export function readScenarios(side: Side, revision: string, requirements: string, results: string): Scenario[] {
  const folders = existsSync(results) ? readdirSync(results, { recursive: true }).map(String) : [];
  return namesIn(side, requirements, revision).map((name) => {
    const folder = folders.find((one) => scenarioOf(one) === prefixes[side] + name);
    const checks = folder && (JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    return { revision, name, checks: checks || undefined };
  });
}

/** A result folder has a prefix for the side, the name of the scenario, and a timestamp. */
const prefixes: Readonly<Record<Side, string>> = {
  server: 'server-',
  client: '',
  authorization: 'authorization-server-',
};

const scenarioOf = (folder: string): string | undefined => /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
