/** The client that the official conformance suite is run against: `client.ts URL`, with the scenario in the environment. */
import { type Client, connect, type RevisionId, type TenonError } from 'tenon';
import { skillsExtension } from 'tenon/skills';
import { answersTo, authorized, scenarios } from './client-scenarios.ts';

const [url = ''] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? 'tools_call';
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION as RevisionId | undefined;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, unknown>;

async function play(): Promise<void> {
  const run = scenario.startsWith('auth/') ? authorized : scenarios[scenario];
  if (run === undefined) throw new Error(`There is no scenario ${scenario}.`);
  const client: Client = await connect(url, {
    client: { name: 'tenon-conformance', version: '1.0.0' },
    answers: answersTo(scenario),
    reconnect: false,
    extensions: [skillsExtension],
    ...(revision !== undefined && { revisions: [revision] }),
    fault: (error) => console.error(`fault: ${error.message}`),
  });
  try {
    await run(client, context);
  } finally {
    await client.close();
  }
}

await play().catch((error: TenonError) => {
  console.error(error);
  process.exitCode = 1;
});
