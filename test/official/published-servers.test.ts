/** Published servers whose source exports a factory, bridged: what clients see is what the server itself lists. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import {
  type Client,
  type CommandTarget,
  type ConnectOptions,
  connect,
  type ProtocolVersion,
  type Server,
  toText,
} from '../../src/node/index.ts';
import type { OfficialServer } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion, isSession, isSince } from '../kit/version-order.ts';

/** It has no types. */
const { createServer: createEverything } = (await import(
  '@modelcontextprotocol/server-everything/dist/server/index.js' as string
)) as { readonly createServer: () => { readonly server: OfficialServer } };

const newestSession = protocolVersions.findLast(isSession) as ProtocolVersion;
const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const handlers = {
  elicitForm: () => ({ action: 'decline' as const }),
  elicitUrl: () => ({ action: 'decline' as const }),
  sample: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'sampled' }, model: 'm' }),
  samplingTools: true,
  roots: () => [],
};

const { elicitForm, elicitUrl, sample, roots } = handlers;

/** Clients that support some things only. The server has tools for each. */
const clients: Readonly<Record<string, NonNullable<ConnectOptions['handlers']>>> = {
  nothing: {},
  forms: { elicitForm },
  'URLs and forms': { elicitForm, elicitUrl },
  sampling: { sample },
  roots: { roots },
  everything: handlers,
};

/** Tools whose tasks are those of the official SDK: they have no result of their own. */
const withTasks = new Set([
  'simulate-research-query',
  'trigger-elicitation-request-async',
  'trigger-sampling-request-async',
]);

const byName = (items: readonly object[], key: string): object[] =>
  items
    .map((item) => ({ ...item, execution: undefined }))
    .toSorted((one, other) => (String(one[key as never]) < String(other[key as never]) ? -1 : 1));

const listsOf = async (client: Client) => ({
  tools: byName(
    (await client.tools.list().all()).filter(({ name }) => !withTasks.has(name)),
    'name',
  ),
  prompts: byName(await client.prompts.list().all(), 'name'),
  resources: byName(await client.resources.list().all(), 'uri'),
  templates: byName(await client.resources.listTemplates().all(), 'uriTemplate'),
});

describe.each(Object.entries(clients))('A client that supports %s', (_what, own) => {
  it('gets from server-everything behind the bridge the lists that it gets on its standard streams', async () => {
    const command = { command: process.execPath, args: [program, 'stdio'], stderr: 'ignore' } as const;
    const direct = await connect(command, { handlers: own });
    const lists = await listsOf(direct);
    await direct.close();
    const server = await fromOfficial(() => createEverything().server);
    for (const version of [newestSession, exchangeVersion]) {
      const bridged = await connect(server as never, { handlers: own, protocolVersions: [version] });
      expect(await listsOf(bridged)).toEqual(lists);
      await bridged.close();
    }
  });
});

it('what of server-everything does not cross is named', async () => {
  const dropped: string[] = [];
  const server = await fromOfficial(() => createEverything().server, {
    onDropped: ({ method, reason }) => dropped.push(`${method} ${reason}`),
  });
  const client = await connect(server as never, { handlers });
  await client.tools.list().all();
  await client.close();
  expect(dropped).toEqual([
    'tools/list simulate-research-query: it only runs as a task (registerToolTask).',
    'tasks The bridge does not serve this capability.',
  ]);
});

it('server-everything gets roots, logs and updates resources outside calls as on its standard streams', async () => {
  const uri = 'demo://resource/dynamic/text/1';
  const seen = async (target: CommandTarget | Server) => {
    const logs: string[] = [];
    const updated: string[] = [];
    const client = await connect(target as never, {
      protocolVersions: [newestSession],
      handlers: { roots: () => [{ uri: 'file:///work' }] },
      onLog: ({ data }) => logs.push(String(data).replace(/from session .*/, '')),
    });
    const watcher = await client.resources.watch(uri, () => void updated.push(uri));
    await client.tools.call('toggle-subscriber-updates');
    await expect.poll(() => updated.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await expect.poll(() => logs.join(), { timeout: 20_000 }).toContain('Roots updated: 1 root(s)');
    expect(toText(await client.tools.call('get-roots-list'))).toContain('file:///work');
    await client.tools.call('toggle-subscriber-updates');
    await watcher.close();
    await client.close();
    return logs.toSorted();
  };
  const direct = await seen({ command: process.execPath, args: [program, 'stdio'], stderr: 'ignore' });
  expect(await seen((await fromOfficial(() => createEverything().server)) as Server)).toEqual(direct);
});

it.each(protocolVersions as readonly ProtocolVersion[])('its tools and resources work in %s', async (version) => {
  const server = await fromOfficial(() => createEverything().server);
  const client = await connect(server as never, { handlers, protocolVersions: [version] });
  expect(await client.tools.call('echo', { message: 'hi' })).toMatchObject({ content: [{ text: 'Echo: hi' }] });
  expect((await client.prompts.get('simple-prompt')).messages).toHaveLength(1);
  const [first] = await client.resources.list().all();
  expect((await client.resources.read(first?.uri ?? '')).contents).toHaveLength(1);
  const sampled = await client.tools.call('trigger-sampling-request', { prompt: 'p', maxTokens: 9 });
  expect(JSON.stringify(sampled)).toContain('sampled');
  // The form has lists of choices, which older versions do not have.
  const asked = isSince(version, '2025-11-25') ? await client.tools.call('trigger-elicitation-request') : undefined;
  expect(JSON.stringify(asked ?? 'declined')).toContain('declined');
  await client.close();
});
