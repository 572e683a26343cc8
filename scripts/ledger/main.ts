/**
 * Prints the ledger for the merged test reports. Fails on unknown ids, on rows that are no longer proved, and while
 * spec/proved.json is out of date. `--accept` updates it. With `--partial`, where a tier is missing, and with `--ids`,
 * which prints no table, only unknown ids fail.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mentionedIds, merged, provedIds, type Report } from './named-ids.ts';
import { type Row, rowsOf } from './rows.ts';
import { missingKeys, pinnedKeys, summarize, unknownIds } from './summary.ts';
import { listText, summaryOf, tableOf } from './table.ts';

const requirements = new URL('../../spec/requirements/', import.meta.url);
const provedList = new URL('../../spec/proved.json', import.meta.url);

function readRows(): Row[] {
  const files = readdirSync(requirements).filter((name) => name.endsWith('.yaml'));
  return files.flatMap((name) =>
    rowsOf(name.slice(0, -'.yaml'.length), readFileSync(new URL(name, requirements), 'utf8')),
  );
}

const readReport = (path: string): Report => JSON.parse(readFileSync(path, 'utf8')) as Report;

const complaints = {
  unknown: (id: string) => `unknown id [${id}]: no row of spec/requirements has it; fix the test's name`,
  lost: (key: string) => `lost ${key}: spec/proved.json lists it and no passing test proves it now; fix the test`,
};

function behind(fresh: readonly string[]): string[] {
  const list = `${fresh.slice(0, 10).join(' ')}${fresh.length > 10 ? ' …' : ''}`;
  const problem = `spec/proved.json lacks ${fresh.length} rows that are proved (${list})`;
  return fresh.length === 0 ? [] : [`${problem}; run npm run ledger -- --accept and commit it`];
}

const args = process.argv.slice(2);
const has = (flag: string): boolean => args.includes(flag);
const report = merged(args.filter((arg) => !arg.startsWith('--')).map(readReport));
const rows = readRows();
const problems = unknownIds(rows, mentionedIds(report)).map(complaints.unknown);

function ledger(): string[] {
  const summary = summarize(rows, provedIds(report));
  if (!has('--partial')) compareWithList(pinnedKeys(summary));
  return [...tableOf(rows, new Set(summary.proved)), ...problems, ...summaryOf(summary)];
}

function compareWithList(now: readonly string[]): void {
  const before = JSON.parse(readFileSync(provedList, 'utf8')) as string[];
  problems.push(...missingKeys(before, now).map(complaints.lost));
  if (problems.length === 0 && has('--accept')) writeFileSync(provedList, listText(now));
  else problems.push(...behind(missingKeys(now, before)));
}

const lines = has('--ids') ? [...problems, `ledger: ${problems.length} unknown ids`] : ledger();
if (problems.length > 0) process.exitCode = 1;
console.log(lines.join('\n'));
