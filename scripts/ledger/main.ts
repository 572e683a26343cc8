/** Prints the ledger for a test report; fails on unknown ids and on rows no longer proved. `--accept` keeps the new list. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mentionedIds, provedIds, type Report } from './named-ids.ts';
import { type Row, rowsOf } from './rows.ts';
import { lostKeys, standingOf, unknownIds } from './standing.ts';
import { listText, summaryOf, tableOf } from './table.ts';

const requirements = new URL('../../spec/requirements/', import.meta.url);
const provedList = new URL('../../spec/proved.json', import.meta.url);

function readRows(): Row[] {
  const files = readdirSync(requirements).filter((name) => name.endsWith('.yaml'));
  return files.flatMap((name) =>
    rowsOf(name.slice(0, -'.yaml'.length), readFileSync(new URL(name, requirements), 'utf8')),
  );
}

function complaints(unknown: readonly string[], lost: readonly string[]): string[] {
  return [
    ...unknown.map((id) => `unknown id [${id}]: no row of spec/requirements has it; mend the test's name`),
    ...lost.map((key) => `lost ${key}: spec/proved.json lists it and no passing test proves it now; mend the test`),
  ];
}

const [reportPath = '.tenon/report.json', ...flags] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
const rows = readRows();
const standing = standingOf(rows, provedIds(report));
const before = JSON.parse(readFileSync(provedList, 'utf8')) as string[];
const problems = complaints(unknownIds(rows, mentionedIds(report)), lostKeys(before, standing.proved));

if (problems.length > 0) process.exitCode = 1;
else if (flags.includes('--accept')) writeFileSync(provedList, listText(standing.proved));

const lines = [...tableOf(rows, new Set(standing.proved)), ...problems, ...summaryOf(standing)];
console.log(lines.join('\n'));
