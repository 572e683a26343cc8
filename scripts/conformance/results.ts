/** Reads what the suite asks for and what it wrote about it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Check, Scenario } from './summary.ts';

/** The side that is judged. */
export type Side = 'server' | 'client';

interface RequirementSet {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

const list = new URL('../../conformance/extension-scenarios.json', import.meta.url);
const extensionScenarios = JSON.parse(readFileSync(list, 'utf8')) as Record<Side, readonly string[]>;

/** The scenarios of a set: those that are required, those that are only run, and those of extensions. */
function namesIn(side: Side, set: RequirementSet): string[] {
  const unscored = set.not_scored.flatMap(({ scenario, leg }) => (leg === side ? [scenario] : []));
  return [...set[side], ...unscored, ...extensionScenarios[side]];
}

/** Every scenario of one revision's set, with what was found. */
export function readScenarios(side: Side, revision: string, requirements: string, results: string): Scenario[] {
  const set = parse(readFileSync(join(requirements, `${revision}.yaml`), 'utf8')) as RequirementSet;
  const folders = existsSync(results) ? readdirSync(results, { recursive: true }).map(String) : [];
  return namesIn(side, set).map((name) => {
    const folder = folders.find((one) => scenarioOf(one) === (side === 'server' ? `server-${name}` : name));
    const checks = folder && (JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    return { revision, name, checks: checks || undefined };
  });
}

/** A folder is named for the scenario, where servers are judged with the side before it, and the moment. */
const scenarioOf = (folder: string): string | undefined => /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
