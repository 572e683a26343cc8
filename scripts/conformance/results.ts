/** Reads what the suite asks for and what it wrote about it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Check, Scenario } from './verdict.ts';

interface RequirementSet {
  readonly server: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

/** The scenarios of a set: those that are required, and those that are only run. */
function namesIn({ server, not_scored }: RequirementSet): string[] {
  return [...server, ...not_scored.flatMap(({ scenario, leg }) => (leg === 'server' ? [scenario] : []))];
}

/** Every scenario of one revision's set, with what was found. */
export function readScenarios(revision: string, requirements: string, results: string): Scenario[] {
  const set = parse(readFileSync(join(requirements, `${revision}.yaml`), 'utf8')) as RequirementSet;
  const folders = existsSync(results) ? readdirSync(results) : [];
  return namesIn(set).map((name) => {
    const folder = folders.find((one) => scenarioOf(one) === name);
    const checks = folder && (JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    return { revision, name, checks: checks || undefined };
  });
}

/** A folder is named for the side, the scenario and the moment. */
const scenarioOf = (folder: string): string | undefined => /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
