/** Prints the results of a run of the suite. Fails where they differ from the list of expected failures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScenarios, type Side } from './results.ts';
import { type Expected, summarize } from './summary.ts';

const [given = '', requirements = '', results = '', ...revisions] = process.argv.slice(2);
const side: Side = given === 'client' ? 'client' : 'server';
const names = { server: 'expected-failures.json', client: 'expected-client-failures.json' };
const list = new URL(`../../conformance/${names[side]}`, import.meta.url);
const expected = JSON.parse(readFileSync(list, 'utf8')) as Expected;
const scenarios = revisions.flatMap((revision) => readScenarios(side, revision, requirements, join(results, revision)));
const { lines, passed, failed, ok } = summarize(scenarios, expected);

if (!ok || scenarios.length === 0) process.exitCode = 1;
console.log([...lines, `conformance: ${passed} passed, ${failed} failed`].join('\n'));
