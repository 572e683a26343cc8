/** Servers from npm whose packages export a factory, behind the bridge, used by ten real clients. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { connect } from 'tenon';
import { fromOfficialTransport, type OfficialServer } from 'tenon/official';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { answers } from '../../kit/peers/conversation.ts';
import type { Json } from '../../kit/peers/official-clients.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { clients, type UsedServer } from './clients.ts';

const source = join(root, 'test/official/published');
const folder = join(root, '.tenon/published');

/** Why the packages cannot be used, or `undefined`. */
function whyNot(): string | undefined {
  const stamp = join(folder, 'node_modules/.tenon-lock');
  const isInstalled =
    existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(join(source, 'package-lock.json'), 'utf8');
  return isInstalled ? undefined : 'the published servers are not installed: `npm run test:long` does that';
}

const missing = whyNot();

beforeAll(() => {
  if (missing !== undefined) return;
  cpSync(join(source, 'programs'), folder, { recursive: true });
  const installed = join(folder, 'node_modules/tenon');
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
});

/** The server on its own, without the bridge. */
async function direct(name: string): Promise<UsedServer> {
  const { servers } = (await import(pathToFileURL(join(folder, 'servers.mjs')).href)) as {
    servers: Record<string, () => Promise<() => OfficialServer | Promise<OfficialServer>>>;
  };
  const server = await (await servers[name]?.())?.();
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server?.connect(there as never);
  const client = await connect(fromOfficialTransport(here as never), { handlers: answers });
  return {
    tools: async () => (await client.tools.list().all()).map((one) => one.name).toSorted(),
    call: (tool, args) => client.tools.call(tool, args) as Promise<Json>,
    close: () => client.close(),
  };
}

/** Serves over HTTP until the test ends. */
async function served(name: string): Promise<string> {
  const child = spawn(process.execPath, [join(folder, 'serve.mjs'), name, 'http'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill();
    await withTimeout(ended, 'the exit of the server');
  });
  return withTimeout(
    new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk).trim()))),
    'the URL of the server',
  );
}

const textOf = (result: Json): string => JSON.stringify(result.content);
const keysOf = ({ structuredContent }: Json): string => Object.keys(structuredContent as Json).toString();

/** A call for each server, and what of its result is the same each time. */
const calls: Readonly<Record<string, readonly [tool: string, args: Json, seen: (result: Json) => string][]>> = {
  'budget-allocator': [['get-budget-data', {}, keysOf]],
  everything: [
    ['echo', { message: 'hi' }, textOf],
    ['trigger-sampling-request', { prompt: 'What now?' }, (result) => String(textOf(result).includes('Go on.'))],
    ['trigger-elicitation-request', {}, (result) => String(textOf(result).includes('Ada'))],
    ['get-structured-content', { location: 'Chicago' }, keysOf],
  ],
  playwright: [['browser_close', { wrong: true }, ({ isError }) => String(isError)]],
  postgrest: [['sqlToRest', { sql: 'select * from todos where id = 1' }, textOf]],
  'system-monitor': [['get-system-info', {}, (result) => String((result.structuredContent as Json).hostname)]],
};

/** What a client sees of a server. Tools with tasks of the official SDK do not cross. */
async function seenBy(client: UsedServer, name: string): Promise<unknown> {
  const tools = (await client.tools()).filter((tool) => !/^simulate-research-query$|-async$/.test(tool));
  const results: string[] = [];
  for (const [tool, args, seen] of calls[name] ?? []) results.push(seen(await client.call(tool, args)));
  await client.close();
  return { tools, results };
}

describe.each(Object.keys(calls))('The published server %s behind the bridge', (name) => {
  it.for(Object.entries(clients))('is to %s as it is itself', async ([, open], context) => {
    requires(context, missing);
    const own = await seenBy(await direct(name), name);
    const program = { command: process.execPath, args: [join(folder, 'serve.mjs'), name] };
    expect(await seenBy(await open({ program, url: await served(name) }), name)).toEqual(own);
  });
});
