/** Prints the results of a run of the suite, and writes their counts to docs/figures.json. Fails where they differ from the list of expected failures. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScenarios, type Side } from './results.ts';
import { type Expected, expectedOf, summarize } from './summary.ts';

const [given = '', requirements = '', results = '', ...runs] = process.argv.slice(2);
const side = given as Side;
const lists: Readonly<Record<Side, string | undefined>> = {
  server: 'expected-failures.json',
  client: 'expected-client-failures.json',
  authorization: undefined,
  gateway: 'expected-gateway-failures.json',
};
const listed = readExpected(lists[side]);
const expected = side === 'gateway' ? expectedOf(listed, runs) : listed;
const scenarios = runs.flatMap((run) => readScenarios(side, run, requirements, join(results, run)));
const { lines, passed, failed, ok } = summarize(scenarios, expected);

if (!ok || scenarios.length === 0) process.exitCode = 1;
else writeFigures();
console.log([...lines, `conformance: ${passed} passed, ${failed} failed`].join('\n'));

/** Every scenario of authorization servers is expected to pass. */
function readExpected(name: string | undefined): Expected {
  if (name === undefined) return {};
  return JSON.parse(readFileSync(new URL(`../../conformance/${name}`, import.meta.url), 'utf8')) as Expected;
}

/** For README.md and the site. */
function writeFigures(): void {
  const file = new URL('../../docs/figures.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(join(requirements, '../package.json'), 'utf8')) as { version: string };
  const figures = JSON.parse(readFileSync(file, 'utf8')) as { conformance: Record<string, object> };
  figures.conformance[side] = { date: new Date().toISOString().slice(0, 10), suite: version, passed, failed };
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
}
