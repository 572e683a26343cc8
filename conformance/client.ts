/** The client of the official conformance suite: `client.ts URL`, the scenario in the environment. Without one it prints what a server offers. */
import { type Client, connect, type ProtocolVersion, type TenonError } from 'tenon';
import { skillsExtension } from 'tenon/skills';
import { authFor } from './client-auth.ts';
import { answersTo, authorized, scenarios, withoutScenario } from './client-scenarios.ts';

const [url = ''] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? withoutScenario;
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION as ProtocolVersion | undefined;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, unknown>;

async function play(): Promise<void> {
  if (url === '')
    throw new Error('The URL of the server is missing: npm run -s conformance:client -- http://127.0.0.1:3000/mcp');
  const run = scenario.startsWith('auth/') ? authorized : scenarios[scenario];
  if (run === undefined) throw new Error(`Unknown scenario ${scenario}.`);
  const target = scenario.startsWith('auth/') ? { url, auth: await authFor(scenario, context, url) } : url;
  const client: Client = await connect(target, {
    clientInfo: { name: 'tenon-conformance', version: '1.0.0' },
    handlers: answersTo(scenario),
    reconnect: false,
    extensions: [skillsExtension],
    ...(revision !== undefined && { protocolVersions: [revision] }),
    onWarning: (error) => console.error(`warning: ${error.message}`),
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
