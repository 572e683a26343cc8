/**
 * Prints the ledger for a test report. Fails on unknown ids, on rows that are no longer proved, and while
 * spec/proved.json is out of date. `--accept` updates it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mentionedIds, provedIds, type Report } from './named-ids.ts';
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

function broken(unknown: readonly string[], lost: readonly string[]): string[] {
  return [
    ...unknown.map((id) => `unknown id [${id}]: no row of spec/requirements has it; fix the test's name`),
    ...lost.map((key) => `lost ${key}: spec/proved.json lists it and no passing test proves it now; fix the test`),
  ];
}

function behind(fresh: readonly string[]): string[] {
  const list = `${fresh.slice(0, 10).join(' ')}${fresh.length > 10 ? ' …' : ''}`;
  const problem = `spec/proved.json lacks ${fresh.length} rows that are proved (${list})`;
  return fresh.length === 0 ? [] : [`${problem}; run npm run ledger -- --accept and commit it`];
}

const [reportPath = '.tenon/report.json', ...flags] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
const rows = readRows();
const summary = summarize(rows, provedIds(report));
const before = JSON.parse(readFileSync(provedList, 'utf8')) as string[];
const now = pinnedKeys(summary);
const problems = broken(unknownIds(rows, mentionedIds(report)), missingKeys(before, now));

if (problems.length === 0 && flags.includes('--accept')) writeFileSync(provedList, listText(now));
else problems.push(...behind(missingKeys(now, before)));
if (problems.length > 0) process.exitCode = 1;

const lines = [...tableOf(rows, new Set(summary.proved)), ...problems, ...summaryOf(summary)];
console.log(lines.join('\n'));
