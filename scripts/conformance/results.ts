/** Reads the requirements of the suite and its results. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Check, Scenario } from './summary.ts';

/** The side under test. */
export type Side = 'server' | 'client';

interface RequirementSet {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

const list = new URL('../../conformance/extension-scenarios.json', import.meta.url);
const extensionScenarios = JSON.parse(readFileSync(list, 'utf8')) as Record<Side, readonly string[]>;

/** The scenarios of a set: the required ones, those without a score, and those of extensions. */
function namesIn(side: Side, set: RequirementSet): string[] {
  const unscored = set.not_scored.flatMap(({ scenario, leg }) => (leg === side ? [scenario] : []));
  return [...set[side], ...unscored, ...extensionScenarios[side]];
}

/** Every scenario of one revision's set, with its checks. */
export function readScenarios(side: Side, revision: string, requirements: string, results: string): Scenario[] {
  const set = parse(readFileSync(join(requirements, `${revision}.yaml`), 'utf8')) as RequirementSet;
  const folders = existsSync(results) ? readdirSync(results, { recursive: true }).map(String) : [];
  return namesIn(side, set).map((name) => {
    const folder = folders.find((one) => scenarioOf(one) === (side === 'server' ? `server-${name}` : name));
    const checks = folder && (JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    return { revision, name, checks: checks || undefined };
  });
}

/** A result folder has the name of the scenario and a timestamp, and the prefix `server-` for servers. */
const scenarioOf = (folder: string): string | undefined => /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
