/** Prints the results of a run of the suite. Fails where they differ from the list of expected failures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScenarios, type Side } from './results.ts';
import { type Expected, summarize } from './summary.ts';

const [given = '', requirements = '', results = '', ...revisions] = process.argv.slice(2);
const side = given as Side;
const names = { server: 'expected-failures.json', client: 'expected-client-failures.json', authorization: undefined };
const expected = readExpected(names[side]);
const scenarios = revisions.flatMap((revision) => readScenarios(side, revision, requirements, join(results, revision)));
const { lines, passed, failed, ok } = summarize(scenarios, expected);

if (!ok || scenarios.length === 0) process.exitCode = 1;
console.log([...lines, `conformance: ${passed} passed, ${failed} failed`].join('\n'));

/** Every scenario of authorization servers is expected to pass. */
function readExpected(name: string | undefined): Expected {
  if (name === undefined) return {};
  return JSON.parse(readFileSync(new URL(`../../conformance/${name}`, import.meta.url), 'utf8')) as Expected;
}
