/** `npm run conformance`: runs the official suite against the fixture server, with `-- client` against the fixture client, with `-- authorization` against `authorizationServer()`, with `-- gateway` against gateways in front of the fixture. */
import { inRoot, run } from './command.mjs';
import { bundleClient } from './conformance/client.mjs';
import { startFixture, startGateway } from './conformance/fixture.mjs';
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

/** With each of its revisions, against gateways that speak each of them to the fixture. */
async function runGateway() {
  const { revisions, runAgainst } = await installSuite();
  const names = [];
  for (const upstream of revisions)
    for (const transport of ['HTTP', 'stdio']) {
      const gateway = await startGateway(upstream, transport);
      try {
        for (const revision of revisions) {
          const name = `${revision} to ${upstream} by ${transport}`;
          names.push(name);
          await runAgainst(gateway.url, revision, name);
        }
      } finally {
        await gateway.stop();
      }
    }
  return judge('gateway', names);
}

async function judge(side, names) {
  const args = ['--import', 'tsx', inRoot('scripts/conformance/main.ts'), side, requirements, results, ...names];
  const { ok } = await run(process.execPath, args, { output: 'show' });
  return ok;
}

const sides = { server: runServer, client: runClient, authorization: runAuthorization, gateway: runGateway };

try {
  const [side = 'server'] = process.argv.slice(2);
  if (!Object.hasOwn(sides, side))
    throw new Error(
      `conformance: unknown side "${side}"; run npm run conformance -- server, -- client, -- authorization, or -- gateway`,
    );
  await setUp();
  if (!(await sides[side]())) process.exitCode = 1;
} catch (error) {
  console.log(error.message);
  console.log('conformance: 0 passed, 1 failed');
  process.exitCode = 1;
}
