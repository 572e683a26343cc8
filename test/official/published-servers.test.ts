/** Published servers whose source exports a factory, bridged: what clients see is what the server itself lists. */
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, connect, type ProtocolVersion } from '../../src/node/index.ts';
import type { OfficialServer } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { isSince } from '../kit/version-order.ts';

/** It has no types. */
const { createServer: createEverything } = (await import(
  '@modelcontextprotocol/server-everything/dist/server/index.js' as string
)) as { readonly createServer: () => { readonly server: OfficialServer } };

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const handlers = {
  elicitForm: () => ({ action: 'decline' as const }),
  elicitUrl: () => ({ action: 'decline' as const }),
  sample: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'sampled' }, model: 'm' }),
  samplingTools: true,
  roots: () => [],
};

const namesOf = async (client: Client) => ({
  tools: (await client.tools.list().all()).map(({ name }) => name).toSorted(),
  prompts: (await client.prompts.list().all()).map(({ name }) => name).toSorted(),
  resources: (await client.resources.list().all()).map(({ uri }) => uri).toSorted(),
  templates: (await client.resources.listTemplates().all()).map(({ uriTemplate }) => uriTemplate).toSorted(),
});

it('server-everything has the same lists behind the bridge as on its own standard streams', async () => {
  const dropped: string[] = [];
  const server = await fromOfficial(() => createEverything().server, {
    onDropped: ({ method, reason }) => dropped.push(`${method} ${reason}`),
  });
  const direct = await connect({ command: process.execPath, args: [program, 'stdio'], stderr: 'ignore' }, { handlers });
  const own = await namesOf(direct);
  await direct.close();
  const bridged = await connect(server as never, { handlers });
  const seen = await namesOf(bridged);
  await bridged.close();
  // Tools that need tasks, of the official server or of its client, do not cross.
  const left = ['simulate-research-query', 'trigger-elicitation-request-async', 'trigger-sampling-request-async'];
  expect({ ...seen, tools: [...seen.tools, ...left].toSorted() }).toEqual(own);
  expect(dropped.join('\n')).toContain('simulate-research-query: it only runs as a task');
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
