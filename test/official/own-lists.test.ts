/** Lists by instance: each client gets those that the server has for it, and learns how they change. */
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createPolicy, guard } from '../../src/guard/index.ts';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, type ConnectOptions, connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import type { OfficialOptions } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { tool } from '../../src/server/index.ts';
import { openAt } from '../kit/transport/raw-connection.ts';
import { exchangeVersion, isSession } from '../kit/version-order.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const versions = protocolVersions as readonly ProtocolVersion[];
const newestSession = versions.findLast(isSession) as ProtocolVersion;
const nothing = () => ({ content: [] });

type Either = Pick<ServerV1, 'connect' | 'close' | 'sendToolListChanged'> & {
  registerTool(name: string, options: object, handler: () => { content: [] }): { remove(): void; disable(): void };
};

/** A server that has a tool for clients with roots only, and another one for those without. */
function conditional(create: () => Either, made: Either[]) {
  return () => {
    const server = create();
    made.push(server);
    server.registerTool('always', {}, nothing as never);
    const { server: low } = server as unknown as {
      server: { oninitialized?: () => void; getClientCapabilities(): { roots?: object } | undefined };
    };
    low.oninitialized = () =>
      void server.registerTool(low.getClientCapabilities()?.roots ? 'rooted' : 'rootless', {}, nothing as never);
    return server;
  };
}

const info = { name: 'conditional', version: '1.0.0' };
const sdks = [
  ['SDK v1', () => new ServerV1(info) as unknown as Either],
  ['SDK v2', () => new ServerV2(info) as unknown as Either],
] as const;

const roots = { handlers: { roots: () => [] } };

function opened(client: Client): Client {
  closing.push(() => client.close());
  return client;
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.tools.list().all()).map(({ name }) => name).toSorted();

async function bridged(create: () => Either, options: OfficialOptions = {}) {
  const made: Either[] = [];
  const server = await fromOfficial(conditional(create, made) as never, options);
  const open = async (more: ConnectOptions) => opened(await connect(server as never, more));
  return { server, made, open };
}

describe.each(sdks)('A server of %s', (_sdk, create) => {
  it.each(versions)('lists for each client in memory what it registers for that client, in %s', async (version) => {
    const { open } = await bridged(create);
    const [rooted, rootless] = [
      await open({ protocolVersions: [version], ...roots }),
      await open({ protocolVersions: [version] }),
    ];
    expect(await namesOf(rooted)).toEqual(['always', 'rooted']);
    expect(await namesOf(rootless)).toEqual(['always', 'rootless']);
    expect(await rooted.tools.call('rooted')).toMatchObject({ content: [] });
    await expect(rootless.tools.call('rooted')).rejects.toMatchObject({ code: -32602 });
    expect(await rootless.tools.call('rootless')).toMatchObject({ content: [] });
  });

  it.each([
    [newestSession, undefined],
    [exchangeVersion, undefined],
    [exchangeVersion, 'ada'],
  ] as const)('does so over HTTP, in %s with the principal %s', async (version, principal) => {
    const { server } = await bridged(create);
    const service = await serveHttp(server, {
      port: 0,
      ...(principal !== undefined && { authenticate: () => principal }),
    });
    closing.push(() => service.close());
    const rooted = opened(await connect(service.url, { protocolVersions: [version], ...roots }));
    const rootless = opened(await connect(service.url, { protocolVersions: [version] }));
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await namesOf(rooted)).toEqual(['always', 'rooted']);
      expect(await namesOf(rootless)).toEqual(['always', 'rootless']);
    }
    expect(await rooted.tools.call('rooted')).toMatchObject({ content: [] });
    await expect(rootless.tools.call('rooted')).rejects.toMatchObject({ code: -32602 });
  });

  it('notifies the session whose instance changes its lists, and no other', async () => {
    const { server, made } = await bridged(create);
    const [one, other] = [await openAt(server, newestSession), await openAt(server, newestSession)];
    for (const raw of [one, other]) {
      raw.send(raw.ask('first', 'tools/list'));
      await raw.next();
    }
    made.at(-2)?.registerTool('late', {}, nothing as never);
    expect(await one.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    one.send(one.ask('again', 'tools/list'));
    expect(JSON.stringify(await one.next())).toContain('late');
    expect(await other.settled()).toEqual([]);
    other.send(other.ask('again', 'tools/list'));
    expect(JSON.stringify(await other.next())).not.toContain('late');
  });

  it('notifies a subscription of 2026-07-28 of the changes of its own instance', async () => {
    const { server, made } = await bridged(create);
    const raw = await openAt(server, exchangeVersion);
    raw.send(raw.ask('listen', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    expect(await raw.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    made.at(-1)?.registerTool('late', {}, nothing as never);
    expect(await raw.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('keeps what the owner of the bridge adds, changes and removes', async () => {
    const { server, open } = await bridged(create);
    server.update((draft) => {
      draft.tools.own = tool({}, () => 'own');
      const { always } = draft.tools;
      if (always !== undefined) draft.tools.always = { ...always, options: { ...always.options, title: 'Ours' } };
      delete draft.tools.rooted;
    });
    const client = await open(roots);
    expect(await namesOf(client)).toEqual(['always', 'own']);
    expect((await client.tools.list().all()).find(({ name }) => name === 'always')?.title).toBe('Ours');
    const without = await open({});
    expect(await namesOf(without)).toEqual(['always', 'own', 'rootless']);
  });

  it('notifies a guarded session of no change of what it may not see', async () => {
    const policy = createPolicy('version: 1\nrules: [{ id: a, allow: [list, call], to: any, on: { tool: always } }]');
    const { server, made } = await bridged(create, { guard: guard({ policy }) });
    const raw = await openAt(server, newestSession);
    raw.send(raw.ask('first', 'tools/list'));
    expect(await raw.next()).toMatchObject({ result: { tools: [{ name: 'always' }] } });
    made.at(-1)?.registerTool('late', {}, nothing as never);
    raw.send(raw.ask('again', 'tools/list'));
    expect(await raw.next()).toMatchObject({ id: 'again', result: { tools: [{ name: 'always' }] } });
    expect(await raw.settled()).toEqual([]);
  });
});

it('an instance that cannot be opened fails the request of its session, and the next request opens another', async () => {
  const errors: unknown[] = [];
  let isBroken = false;
  const create = () => {
    const server = new ServerV1(info);
    server.registerTool('always', {}, nothing as never);
    if (isBroken) server.server.connect = () => Promise.reject(new Error('no database'));
    return server;
  };
  const server = await fromOfficial(create as never, { onError: (error) => errors.push(error) });
  isBroken = true;
  const client = opened(await connect(server as never, { protocolVersions: [newestSession] }));
  await expect(client.tools.list().all()).rejects.toMatchObject({ code: -32603 });
  expect(errors).toMatchObject([{ code: 'instance-failed' }]);
  isBroken = false;
  expect(await namesOf(client)).toEqual(['always']);
});
