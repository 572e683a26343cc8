import { type Client, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { openRaw, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

describe.each(protocolVersions)('A capability declared as false, at %s,', (revision) => {
  it('by a server is treated as absent', async () => {
    const scripted = scriptedAt(revision, { tools: {}, prompts: false, logging: null }, () => ({ tools: [] }));
    await using client = await scripted.client;
    expect(await client.tools.list().all()).toEqual([]);
    await expect(client.prompts.list().all()).rejects.toMatchObject({ code: 'capability-not-supported' });
    expect(client.capabilities).toEqual({ tools: {} });
  });

  it('by a client is treated as absent', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        look: tool({}, (_given, { clientSupports: can, caller }) => {
          seen.push(can('sampling'), can('roots'), caller.capabilities);
          return 'seen';
        }),
      },
    });
    const raw = openRaw(server);
    const capabilities = { sampling: false, roots: {} };
    const call = { name: 'look' };
    if (revision === '2026-07-28') {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      };
      raw.send(request(1, 'tools/call', { ...call, _meta }));
    } else {
      const clientInfo = { name: 'raw', version: '1' };
      raw.send(request(0, 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
      await raw.next();
      raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      raw.send(request(1, 'tools/call', call));
    }
    expect(await raw.next()).toMatchObject({ id: 1, result: {} });
    expect(seen).toEqual([false, true, { roots: {} }]);
  });
});

describe.each(protocolVersions)('Capabilities of an unexpected shape, at %s,', (revision) => {
  const odd = {
    tools: true,
    prompts: { listChanged: 'yes' },
    resources: { subscribe: null, listChanged: true },
    experimental: { deep: true, off: false },
    completions: 'all',
  };

  it('are read as declared, and logged once [S26, S04]', async () => {
    const scripted = scriptedAt(revision, odd, () => ({ tools: [] }));
    await using client = await scripted.client;
    expect(await client.tools.list().all()).toEqual([]);
    expect(client.capabilities).toEqual({
      tools: {},
      prompts: { listChanged: true },
      resources: { listChanged: true },
      experimental: { deep: {} },
      completions: {},
    });
    expect(scripted.warnings).toMatchObject([
      { code: 'invalid-message', message: expect.stringContaining('tools: true, prompts: {"listChanged":"yes"}, ') },
    ]);
  });

  it('end a strict connection [S25]', async () => {
    const scripted = scriptedAt(revision, { tools: true }, () => ({}), { strict: true });
    await expect(scripted.client).rejects.toMatchObject({
      code: 'connection-closed',
      cause: { code: 'invalid-message', message: expect.stringContaining('tools: true'), details: { strict: true } },
    });
    await scripted.ended;
  });

  it.each([true, 'all', [], null])('are refused if they are no object at all: %j', async (capabilities) => {
    const scripted = scriptedAt(revision, capabilities as never, () => ({}));
    await expect(scripted.client).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

/** Every way to send something, with the capability that it needs. */
const undeclared: ReadonlyArray<readonly [string, (client: Client) => Promise<unknown>, string]> = [
  ["request('tools/list')", (client) => client.request('tools/list'), 'tools'],
  ["request('tools/call')", (client) => client.request('tools/call', { name: 'x' }), 'tools'],
  ["request('prompts/list')", (client) => client.request('prompts/list'), 'prompts'],
  ["request('prompts/get')", (client) => client.request('prompts/get', { name: 'x' }), 'prompts'],
  ["request('resources/list')", (client) => client.request('resources/list'), 'resources'],
  ["request('resources/templates/list')", (client) => client.request('resources/templates/list'), 'resources'],
  ["request('resources/read')", (client) => client.request('resources/read', { uri: 'a://b' }), 'resources'],
  ["subscribe('tools')", (client) => client.subscribe({ toolsListChanged: true }), 'tools.listChanged'],
  ["subscribe('prompts')", (client) => client.subscribe({ promptsListChanged: true }), 'prompts.listChanged'],
  ["subscribe('resources')", (client) => client.subscribe({ resourcesListChanged: true }), 'resources.listChanged'],
  ['subscribe(uri)', (client) => client.subscribe({ resourceSubscriptions: ['a://b'] }), 'resources.subscribe'],
  ['tools.watchList', (client) => client.tools.watchList(() => {}), 'tools.listChanged'],
  ['prompts.watchList', (client) => client.prompts.watchList(() => {}), 'prompts.listChanged'],
  ['resources.watchList', (client) => client.resources.watchList(() => {}), 'resources.listChanged'],
  ['resources.watchTemplates', (client) => client.resources.watchTemplates(() => {}), 'resources.listChanged'],
  ['resources.watch', (client) => client.resources.watch('a://b', () => {}), 'resources.subscribe'],
  ['setLogLevel', (client) => client.setLogLevel('info'), 'logging'],
];

/** Requests that only protocol versions with sessions have. */
const inSessions: typeof undeclared = [
  [
    "request('resources/subscribe')",
    (client) => client.request('resources/subscribe', { uri: 'a://b' }),
    'resources.subscribe',
  ],
  [
    "request('resources/unsubscribe')",
    (client) => client.request('resources/unsubscribe', { uri: 'a://b' }),
    'resources.subscribe',
  ],
  ["request('logging/setLevel')", (client) => client.request('logging/setLevel', { level: 'info' }), 'logging'],
];

describe.each(protocolVersions)('A client at %s', (revision) => {
  const ways = revision === '2026-07-28' ? undeclared : [...undeclared, ...inSessions];

  it.each(ways)(
    'refuses %s before anything is sent if the server did not declare it [S04, e-trust-04]',
    async (_, send, path) => {
      const scripted = scriptedAt(revision, {}, () => expect.unreachable('It was sent.'));
      await using client = await scripted.client;
      const before = scripted.received.length;
      await expect(send(client)).rejects.toMatchObject({
        code: 'capability-not-supported',
        message: expect.stringContaining(`The server did not declare ${path}, which `),
        details: { capability: path },
      });
      expect(scripted.received.length).toBe(before);
    },
  );

  it('requires the capability for completions where the protocol version has one [S04]', async () => {
    const scripted = scriptedAt(revision, {}, () => ({ completion: { values: ['Rome'] } }));
    await using client = await scripted.client;
    const params = { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: 'R' } } as const;
    const ways = [
      () => client.complete(params.ref, params.argument),
      () => client.request('completion/complete', params).then(({ completion }) => completion),
    ];
    const outcome = revision === '2024-11-05' ? { values: ['Rome'] } : 'completions';
    const outcomes = ways.map((complete) => complete().catch(({ details }) => details.capability));
    expect(await Promise.all(outcomes)).toEqual([outcome, outcome]);
  });
});
