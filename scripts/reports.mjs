/** The reports of the test commands: where each is, and whether it is about the present sources. */
import { existsSync } from 'node:fs';
import { inRoot } from './command.mjs';
import { hashOf, isStamped, putStamp } from './stamps.mjs';

/** The tiers that prove the rows of the ledger, each with its command. Others repeat their tests. */
export const provingTiers = { fast: 'npm test', system: 'npm run test:system' };

export const reportOf = (tier) => inRoot(`.tenon/report-${tier}.json`);

/** Of a run with words, which is about some files only. */
export const filteredReport = inRoot('.tenon/report-filtered.json');

const stampOf = (tier) => inRoot(`.tenon/report-${tier}-of`);

/** A report is out of date when one of these has changed. */
const inputs = [
  'src',
  'apps',
  'examples',
  'templates',
  'packages',
  'api',
  'test',
  'scripts',
  'package.json',
  'vitest.config.ts',
];

export const hashOfSources = () => hashOf(inputs);

export const stampReport = (tier, hash) => putStamp(stampOf(tier), hash);

/** The proving tiers with and without a report of the present sources. */
export function provingReports() {
  const hash = hashOfSources();
  const isCurrent = (tier) => existsSync(reportOf(tier)) && isStamped(stampOf(tier), hash);
  const proving = Object.keys(provingTiers);
  return { current: proving.filter(isCurrent), missing: proving.filter((tier) => !isCurrent(tier)) };
}
