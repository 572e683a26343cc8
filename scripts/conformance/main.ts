/** Prints what a run of the suite came to; fails where that is not what conformance/expected-failures.json expects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScenarios } from './results.ts';
import { type Expected, verdictOn } from './verdict.ts';

const [requirements = '', results = '', ...revisions] = process.argv.slice(2);
const list = new URL('../../conformance/expected-failures.json', import.meta.url);
const expected = JSON.parse(readFileSync(list, 'utf8')) as Expected;
const scenarios = revisions.flatMap((revision) => readScenarios(revision, requirements, join(results, revision)));
const { lines, passed, failed, ok } = verdictOn(scenarios, expected);

if (!ok || scenarios.length === 0) process.exitCode = 1;
console.log([...lines, `conformance: ${passed} passed, ${failed} failed`].join('\n'));
