/**
 * Writes the catalogue that the search is measured on: names, descriptions and arguments of the tools of real servers.
 * `node bench/agents/gather-tools.mjs FOLDER FILE`, where FOLDER has for each package a folder in which it is installed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { servers } from './servers.mjs';

const [folder, file] = process.argv.slice(2);
const waitMs = 60_000;
const maxDescription = 1000;
const catalogue = { servers: [], tools: [] };

for (const [set, named] of Object.entries(servers))
  for (const [server, entry] of Object.entries(named)) await add(set, server, entry);
writeFileSync(file, `{\n "servers": ${lines(catalogue.servers)},\n "tools": ${lines(catalogue.tools)}\n}\n`);
console.log(`${catalogue.tools.length} tools of ${catalogue.servers.length} servers`);

/** One line for each, so that the difference to an older catalogue can be read. */
function lines(entries) {
  return `[\n${entries.map((entry) => `  ${JSON.stringify(entry)}`).join(',\n')}\n ]`;
}

async function add(set, server, entry) {
  const home = join(folder, entry.package.replaceAll(/[/@]/g, '_'));
  const root = join(home, 'node_modules', entry.package);
  try {
    const { version, license, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    if (license !== 'MIT') throw new Error(`its licence is ${license}`);
    const program = typeof bin === 'string' ? bin : Object.values(bin)[0];
    const tools = await listTools(join(root, program), entry, home);
    catalogue.servers.push({ server, set, package: entry.package, version, license });
    for (const tool of tools) catalogue.tools.push({ server, ...searched(tool) });
    console.log(`${server}: ${tools.length} tools`);
  } catch (error) {
    console.log(`${server}: left out, ${error.message.split('\n')[0]}`);
  }
}

async function listTools(program, { args = [], env = {} }, cwd) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, ...args],
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    cwd,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'catalogue', version: '1' });
  try {
    await client.connect(transport, { timeout: waitMs });
    return (await client.listTools({}, { timeout: waitMs })).tools;
  } finally {
    await client.close();
  }
}

/** Names, descriptions and the names of arguments: nothing else of a definition is searched. */
function searched({ name, title, annotations, description, inputSchema }) {
  const shownTitle = title ?? annotations?.title;
  return {
    name,
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(description !== undefined && { description: description.slice(0, maxDescription) }),
    arguments: Object.keys(inputSchema?.properties ?? {}),
    chars: JSON.stringify({ name, description, inputSchema }).length,
  };
}
