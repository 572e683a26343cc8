/** `npm run conformance`: runs the official suite against the fixture server. `-- server` says which side. */
import { inRoot, run } from './command.mjs';
import { startFixture } from './conformance/fixture.mjs';
import { installSuite, requirements, results } from './conformance/suite.mjs';
import { setUp } from './setup.mjs';

async function runServer() {
  const { revisions, runAgainst } = await installSuite();
  const fixture = await startFixture();
  try {
    for (const revision of revisions) await runAgainst(fixture.url, revision);
  } finally {
    await fixture.stop();
  }
  const args = ['--import', 'tsx', inRoot('scripts/conformance/main.ts'), requirements, results, ...revisions];
  const { ok } = await run(process.execPath, args, { output: 'show' });
  return ok;
}

try {
  const [side = 'server'] = process.argv.slice(2);
  if (side !== 'server')
    throw new Error(`conformance: there is no side "${side}"; write: npm run conformance -- server`);
  await setUp();
  if (!(await runServer())) process.exitCode = 1;
} catch (error) {
  console.log(error.message);
  console.log('conformance: 0 passed, 1 failed');
  process.exitCode = 1;
}
