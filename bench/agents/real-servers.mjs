/**
 * What a model gets of the tools of real servers, through the whole toolkit: `node bench/agents/real-servers.mjs FILE`, where
 * FILE is a configuration as hosts have it, `{ "mcpServers": { … } }`. The servers are started. Needs a build.
 */
import { readFileSync } from 'node:fs';
import { createToolkit, toAiSdk, toAnthropic, toMastra, toOpenAI, toOpenAIAgents } from '../../dist/agents.js';
import { createHost } from '../../dist/host.js';
import { table } from '../lib/report.mjs';

const pinnedCount = 10;
const own = new Set(['find_tools', 'read_more', 'call_tool']);
const isOfServer = ({ name, function: called, type }) => type !== 'tool_search' && !own.has(called?.name ?? name);
const tokensOf = (tools) => Math.ceil(JSON.stringify(tools).length / 4);

/** What each adapter puts into a request; deferred tools are not in the context of the model. */
const adapters = {
  'your own loop': async (kit) => (await kit.list('any')).tools.filter(({ deferred }) => !deferred).map(sentFields),
  Anthropic: async (kit) => (await toAnthropic(kit)).filter((tool) => tool.defer_loading !== true),
  'Responses API': async (kit) => (await toOpenAI(kit)).tools,
  'Responses API, strict': async (kit) => (await toOpenAI(kit, { strict: true })).tools,
  'Responses API, tool search': async (kit) => (await toOpenAI(kit, { found: 'native' })).tools,
  'Chat Completions': async (kit) => (await toOpenAI(kit, { api: 'chat' })).tools,
  'OpenAI Agents': (kit) => toOpenAIAgents(kit).listTools(),
  'AI SDK, LangChain': async (kit) => Object.entries(await toAiSdk(kit)).map(sdkFields),
  Mastra: async (kit) => Object.entries(await toMastra(kit)).map(sdkFields),
};

function sentFields({ name, description, inputSchema }) {
  return { name, description, inputSchema };
}

function sdkFields([name, { description, inputSchema }]) {
  return { name, description, inputSchema: inputSchema['~standard'].jsonSchema.input() };
}

const { mcpServers } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const host = createHost({ servers: { mcpServers }, consent: 'allow-all', onWarning: () => {} });
const whole = createToolkit(host);
const all = await whole.list();
for (const { server, text } of all.errors) console.log(`${server}: ${text}`);
const listed = all.tools.filter(({ server }) => server !== undefined);
const step = Math.floor(listed.length / pinnedCount);
const pinned = listed.filter((_, n) => n % step === 0).slice(0, pinnedCount);
const options = { context: { pinned: pinned.map(({ name }) => name) } };
const rows = [];
for (const [name, request] of Object.entries(adapters)) {
  // Pinned tools are always sent, also more than the API of OpenAI takes.
  const everything = createToolkit(host, { context: { pinned: () => true } });
  const kit = createToolkit(host, options);
  const sent = await request(kit);
  rows.push([name, tokensOf((await request(everything)).filter(isOfServer)), tokensOf(sent), sent.length]);
  await Promise.all([everything.close(), kit.close()]);
}
const servers = new Set(listed.map(({ server }) => server));
console.log(
  `${listed.length} tools of ${servers.size} servers: ${tokensOf(listed.map(sentFields))} tokens; ${pinnedCount} are pinned`,
);
console.log(table(['', 'tokens of all', 'tokens sent', 'tools sent'], rows));
await whole.close();
await host.close();
