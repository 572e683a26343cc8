/** The features of many servers in one list: names, host URIs, and servers that fail. */
import { createServer, prompt, resource, resourceTemplate, tool, toText } from 'tenon';
import type { ServerLike } from 'tenon/client';
import { createHost } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { scriptedServer } from './scripted-server.ts';

const weather = () =>
  createServer({
    name: 'weather',
    version: '1.0.0',
    instructions: 'Ask for a city.',
    tools: { forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`) },
    resources: { 'data://stations': resource({ name: 'stations' }, () => 'Blindern') },
    resourceTemplates: { 'data://{city}/now': resourceTemplate({}, ({ city }) => `Now in ${city}`) },
    prompts: { plan: prompt({ argsSchema: z.object({ city: z.string() }) }, ({ city }) => `Plan a day in ${city}`) },
  });
const rooms = () =>
  createServer({
    name: 'rooms',
    version: '2.0.0',
    tools: { forecast: tool({}, () => 'Full'), 'read.all': tool({}, () => 'Read') },
    resources: { 'data://stations': resource({ name: 'stations' }, () => 'Central') },
  });

describe('a host', () => {
  it('lists no tools that are for apps only, and calls them [ext-apps-21]', async () => {
    const only = (...visibility: string[]) => tool({ _meta: { ui: { visibility } } }, () => 'called');
    const tools = {
      both: only('model', 'app'),
      model: only('model'),
      app: only('app'),
      none: only(),
      any: tool({}, () => ''),
    };
    const server = createServer({ name: 'apps', version: '1', tools });
    await using host = createHost({ servers: { apps: server }, consent: { tool: () => 'allow' } });
    const { items } = await host.tools.list();
    expect(items.map(({ originalName }) => originalName)).toEqual(['both', 'model', 'any']);
    expect(toText(await host.tools.call('apps__app'))).toBe('called');
  });

  it('lists the features of all servers, under names that reach the right server [S30]', async () => {
    await using host = createHost({ servers: { weather: weather(), rooms: rooms() }, consent: 'allow-all' });
    const { items, errors } = await host.tools.list();
    expect(errors).toEqual([]);
    expect(items.map(({ server, originalName: own, name }) => [server, own, name])).toEqual([
      ['weather', 'forecast', 'weather__forecast'],
      ['rooms', 'forecast', 'rooms__forecast'],
      ['rooms', 'read.all', expect.stringMatching(/^rooms__read_all_x[a-z2-7]{16}$/)],
    ]);
    const results = await Promise.all(items.map(({ name }) => host.tools.call(name, { city: 'Oslo' })));
    expect(results.map(toText)).toEqual(['Sunny in Oslo', 'Full', 'Read']);

    const resources = await host.resources.list();
    expect(resources.items.map(({ hostUri: address }) => address)).toEqual([
      'weather/data://stations',
      'rooms/data://stations',
    ]);
    const read = await Promise.all(resources.items.map(({ hostUri: address }) => host.resources.read(address)));
    expect(read.map(({ contents }) => contents[0])).toMatchObject([{ text: 'Blindern' }, { text: 'Central' }]);
    const templates = await host.resources.listTemplates();
    expect(templates.items).toMatchObject([{ server: 'weather', hostUri: 'weather/data://{city}/now' }]);
    const now = await host.resources.read('weather/data://Oslo/now');
    expect(now.contents).toMatchObject([{ text: 'Now in Oslo' }]);

    const prompts = await host.prompts.list();
    expect(prompts).toMatchObject({
      items: [{ name: 'weather__plan', server: 'weather', originalName: 'plan' }],
      errors: [],
    });
    const { messages } = await host.prompts.get('weather__plan', { city: 'Oslo' });
    expect(messages).toMatchObject([{ content: { text: 'Plan a day in Oslo' } }]);
    expect(host.instructions()).toEqual([{ server: 'weather', text: 'Ask for a city.' }]);
  });

  it('finds a name with a digest from another host by listing', async () => {
    await using first = createHost({ servers: { rooms: rooms() } });
    const name = (await first.tools.list()).items[1]?.name ?? '';
    await using second = createHost({ servers: { rooms: rooms() }, consent: 'allow-all' });
    expect(toText(await second.tools.call(name))).toBe('Read');
  });

  it.each(['unknown__x', 'x', '', 'rooms__nothing_xaaaaaaaaaaaaaaaa'])('rejects the unknown name %j', async (name) => {
    await using host = createHost({ servers: { rooms: rooms() }, consent: 'allow-all' });
    await expect(host.tools.call(name)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(host.prompts.get(name)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(host.resources.read(name)).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('starts a server when it is first used, and only once [S31]', async () => {
    const server = scriptedServer(() => ({ tools: [] }));
    const other = scriptedServer(() => ({ content: [] }));
    await using host = createHost({ servers: { server, other }, consent: 'allow-all' });
    expect([server.connections(), other.connections()]).toEqual([0, 0]);
    await Promise.all([host.tools.call('other__a'), host.tools.call('other__b')]);
    expect([server.connections(), other.connections()]).toEqual([0, 1]);
    await Promise.all([host.tools.list(), host.tools.list()]);
    expect([server.connections(), other.connections()]).toEqual([1, 1]);
  });

  it('opens a connection for each name, even if two have the same server', async () => {
    const server = scriptedServer(() => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }));
    await using host = createHost({ servers: { one: server, two: server } });
    const { items } = await host.tools.list();
    expect(items.map(({ name }) => name)).toEqual(['one__a', 'two__a']);
    expect(server.connections()).toBe(2);
  });

  it('lists the other servers if one cannot start, lacks a variable or fails, with an error for each [S31]', async () => {
    const servers = {
      missing: { command: 'no-such-program-anywhere' },
      variable: { command: 'node', env: { KEY: '${NO_SUCH_VARIABLE_ANYWHERE}' } },
      refusing: scriptedServer(() => ({ tools: 'none' })),
      weather: weather(),
    };
    await using host = createHost({ servers, connectOptions: { reconnect: false } });
    const { items, errors } = await host.tools.list();
    expect(items.map(({ name }) => name)).toEqual(['weather__forecast']);
    expect(errors).toMatchObject([
      { server: 'missing', error: { code: 'command-not-found' } },
      { server: 'variable', error: { code: 'invalid-argument' } },
      { server: 'refusing', error: { code: 'invalid-result' } },
    ]);
    expect(host.health()).toMatchObject([
      { server: 'missing', failures: 1, lastError: { error: { code: 'command-not-found' } } },
      { server: 'variable', state: 'idle', failures: 1 },
      { server: 'refusing', state: 'ready', failures: 1 },
      { server: 'weather', state: 'ready', calls: 1, failures: 0, serverInfo: { name: 'weather' } },
    ]);
  });

  it('does not wait for a server between two attempts to connect', async () => {
    const servers = { missing: { command: 'no-such-program-anywhere' }, weather: weather() };
    await using host = createHost({
      servers,
      connectOptions: { reconnect: { initialDelayMs: 600_000, maxDelayMs: 600_000 } },
    });
    for (let n = 0; n < 3; n++) {
      const { items, errors } = await host.tools.list();
      expect([items.length, errors.length]).toEqual([1, 1]);
    }
  });

  it('waits once for a server that hangs while connecting; later lists do not wait', async () => {
    const clock = createFakeClock();
    const hanging: ServerLike = { accept: (transport) => transport.open({ onMessage() {}, onClose() {} }) };
    const servers = { hanging, weather: weather() };
    const bounds = { timeouts: withFixed({}, { listMs: 1000 }), ...withClock(clock) };
    await using host = createHost({
      servers,
      ...bounds,
      connectOptions: { timeoutMs: 600_000, timeouts: withFixed({}, { discoveryMs: 600_000 }) },
    });
    const first = host.tools.list();
    await expect.poll(() => host.health().map(({ state }) => state)).toEqual(['connecting', 'ready']);
    clock.advance(1000);
    const lists = [await first, await host.tools.list(), await host.resources.list()];
    for (const { items, errors } of lists) {
      expect(items).toHaveLength(1);
      expect(errors).toMatchObject([{ server: 'hanging', error: { code: 'timeout' } }]);
    }
    await host.close({ timeoutMs: 1 });
  });

  it('lists the other servers if one does not answer in time', async () => {
    const clock = createFakeClock();
    const silent = scriptedServer((method) => {
      if (method === 'tools/list') queueMicrotask(() => clock.advance(1000));
      return undefined;
    });
    const servers = { silent, weather: weather() };
    await using host = createHost({ servers, timeouts: withFixed({}, { listMs: 1000 }), ...withClock(clock) });
    await host.resources.read('weather/data://stations');
    const { items, errors } = await host.tools.list();
    expect(items).toHaveLength(1);
    expect(errors).toMatchObject([{ server: 'silent', error: { code: 'timeout' } }]);
    await host.close({ timeoutMs: 1 });
  });
});
