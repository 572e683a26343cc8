/** Tools for models: what is sent of the tools of real servers, how well the search finds, and how long both take. */
import { readFileSync } from 'node:fs';
import { createToolkit } from '../../dist/agents.js';
import { createHost } from '../../dist/host.js';
import { createServer, tool } from '../../dist/index.js';
import { fromJsonSchema } from '../../dist/json-schema.js';
import { percent, table, threeFigures } from '../lib/report.mjs';

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../test/agents/search/fixtures/${name}.json`, import.meta.url)));
const catalogue = read('tools');
const pinnedCount = 10;

export async function measure(print) {
  const results = [];
  results.push(await measureSets('unseen', ['unseen'], 'unseen'));
  results.push(await measureSets('unseen, among all', ['unseen', 'tuned'], 'unseen'));
  results.push(await measureSets('tuned', ['tuned'], 'tuned'));
  print('### Tools for models');
  print(
    table(
      ['', 'tools', 'tokens of all', `sent, ${pinnedCount} pinned`, 'first', 'in 5', 'in 8', 'list, ms', 'search, ms'],
      results.map((one) => [
        one.name,
        one.tools,
        one.allTokens,
        one.sentTokens,
        percent(one.first),
        percent(one.in5),
        percent(one.in8),
        threeFigures(one.listMs),
        threeFigures(one.searchMs),
      ]),
    ),
  );
  return results;
}

/** Requests of one set, among the tools of some. */
async function measureSets(name, sets, asked) {
  const host = createHost({ servers: serversOf(sets), consent: 'allow-all' });
  const whole = createToolkit(host);
  const all = (await whole.list()).tools.filter(({ server }) => server !== undefined);
  const pinned = all.filter((_, n) => n % 12 === 0).slice(0, pinnedCount);
  const kit = createToolkit(host, { context: { pinned: pinned.map(({ name }) => name) } });
  const begun = performance.now();
  const { tokens } = await kit.list();
  const listMs = performance.now() - begun;
  const found = await searchAll(kit, asked);
  await Promise.all([whole.close(), kit.close()]);
  await host.close();
  return {
    name,
    tools: all.length,
    allTokens: all.reduce((sum, tool) => sum + tokensOf(tool), 0),
    sentTokens: tokens,
    listMs,
    ...found,
  };
}

/** As the toolkit estimates them. */
const tokensOf = ({ name, description, inputSchema }) =>
  Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4);

/** The servers of the catalogue, in this process. */
function serversOf(sets) {
  const named = catalogue.servers.filter(({ set }) => sets.includes(set)).map(({ server }) => server);
  return Object.fromEntries(
    named.map((server) => {
      const own = catalogue.tools.filter((one) => one.server === server);
      const tools = Object.fromEntries(own.map((one) => [one.name, toolOf(one)]));
      return [server, createServer({ name: server, version: '1.0.0', tools })];
    }),
  );
}

/** The schemas are not in the catalogue, only their size: their description fills it. */
function toolOf({ server, name, title, description = '', arguments: names, chars }) {
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const schema = { type: 'object', properties };
  const known = { name: `${server}__${name}`, description, inputSchema: { ...schema, description: '' } };
  const missing = chars - JSON.stringify(known).length;
  const inputSchema = fromJsonSchema({ ...schema, description: '.'.repeat(Math.max(0, missing)) });
  return tool({ ...(title !== undefined && { title }), description, inputSchema }, () => '');
}

async function searchAll(kit, set) {
  const ranks = [];
  const begun = performance.now();
  for (const [query, fitting] of read(`${set}-queries`)) {
    const found = await kit.search(query, 8);
    const rank = found.findIndex(({ name }) => fitting.some((one) => name.endsWith(`__${one}`)));
    ranks.push(rank === -1 ? Infinity : rank);
  }
  const searchMs = (performance.now() - begun) / ranks.length;
  const within = (count) => ranks.filter((rank) => rank < count).length / ranks.length;
  return { first: within(1), in5: within(5), in8: within(8), searchMs };
}
