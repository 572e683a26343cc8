/** `npm run conformance`: runs the official suite against the fixture server, with `-- client` against the fixture client, with `-- authorization` against `authorizationServer()`. */
import { inRoot, run } from './command.mjs';
import { bundleClient } from './conformance/client.mjs';
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
  return judge('server', revisions);
}

async function runClient() {
  const { revisions, runClient: runWith } = await installSuite();
  const command = `${process.execPath} ${await bundleClient()}`;
  for (const revision of revisions) await runWith(command, revision);
  return judge('client', revisions);
}

async function runAuthorization() {
  const { runAuthorization: runScenarios } = await installSuite();
  await runScenarios();
  return judge('authorization', ['authorization']);
}

async function judge(side, revisions) {
  const args = ['--import', 'tsx', inRoot('scripts/conformance/main.ts'), side, requirements, results, ...revisions];
  const { ok } = await run(process.execPath, args, { output: 'show' });
  return ok;
}

const sides = { server: runServer, client: runClient, authorization: runAuthorization };

try {
  const [side = 'server'] = process.argv.slice(2);
  if (!Object.hasOwn(sides, side))
    throw new Error(
      `conformance: unknown side "${side}"; run npm run conformance -- server, -- client, or -- authorization`,
    );
  await setUp();
  if (!(await sides[side]())) process.exitCode = 1;
} catch (error) {
  console.log(error.message);
  console.log('conformance: 0 passed, 1 failed');
  process.exitCode = 1;
}
