/** Change subscriptions: one API, carried as each revision specifies. */
import { connect, createServer, prompt, resource, type Server, tool } from 'tenon';
import type { Change, ConnectOptions, Subscription } from 'tenon/client';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { isSession } from '../../kit/version-order.ts';

const makeServer = (): Server =>
  createServer({
    name: 'changing',
    version: '1',
    tools: { first: tool({}, () => 'first') },
    resources: { 'a://b': resource({}, () => 'b') },
    prompts: { hello: prompt({}, () => 'hello') },
  });

const addTool = (server: Server, name: string): void =>
  server.update((draft) => {
    draft.tools[name] = tool({}, () => name);
  });

/** The next `count` changes of a subscription. */
async function take(changes: Subscription, count: number): Promise<Change[]> {
  const reader = changes[Symbol.asyncIterator]();
  const taken: Change[] = [];
  while (taken.length < count) {
    const { done, value } = await reader.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['a://b'],
};
const of = (uri: string): Change => ({ type: 'resource', uri });

describe.each(protocolVersions)('changes at %s', (revision) => {
  const open = (server: Server, options: ConnectOptions = {}) =>
    connect(server, { ...options, protocolVersions: [revision] });

  it('arrive by kind, and only for what has changed [S35, e-subscriptions-01]', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe(everything);
    expect(changes.acknowledged).toEqual(everything);
    addTool(server, 'second');
    server.update((draft) => {
      draft.prompts.bye = prompt({}, () => 'bye');
      draft.resources['a://c'] = resource({}, () => 'c');
    });
    server.update(() => {});
    server.sendResourceUpdated('a://b');
    expect(await take(changes, 4)).toEqual([
      { type: 'tools' },
      { type: 'resources' },
      { type: 'prompts' },
      of('a://b'),
    ]);
    addTool(server, 'third');
    expect(await take(changes, 1)).toEqual([{ type: 'tools' }]);
    await client.close();
  });

  it('reach each subscription by its own filter [e-subscriptions-08, e-stdio-08]', async () => {
    const server = makeServer();
    const client = await open(server);
    const tools = await client.subscribe({ toolsListChanged: true });
    const b = await client.subscribe({ resourceSubscriptions: ['a://b'] });
    const both = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://c'] });
    server.sendResourceUpdated('a://b');
    server.sendResourceUpdated('a://c');
    addTool(server, 'second');
    await client.tools.list().all();
    await client.close();
    const all = async (stream: Subscription): Promise<Change[]> => {
      const seen: Change[] = [];
      for await (const change of stream) seen.push(change);
      return seen;
    };
    expect(await all(tools)).toEqual([{ type: 'tools' }]);
    expect(await all(b)).toEqual([of('a://b')]);
    expect(await all(both)).toEqual([of('a://c'), { type: 'tools' }]);
  });

  it('arrive for resources below a subscribed URI, not for resources beside it', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe({ resourceSubscriptions: ['a://b', 'd://e/'] });
    for (const uri of ['a://bc', 'a://b/c', 'd://e', 'd://e/f', 'x://y', 'a://b']) server.sendResourceUpdated(uri);
    expect(await take(changes, 3)).toEqual([of('a://b/c'), of('d://e/f'), of('a://b')]);
    await client.close();
  });

  it('that are not read yet are queued once each', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe(everything);
    for (let n = 0; n < 50; n++) {
      addTool(server, `t${n}`);
      server.sendResourceUpdated('a://b');
    }
    await client.tools.list().all();
    await changes.close();
    const left: Change[] = [];
    for await (const change of changes) left.push(change);
    expect(left).toEqual([{ type: 'tools' }, of('a://b')]);
    await client.close();
  });

  it('stop when the subscription is closed, and continue in the others', async () => {
    const server = makeServer();
    const client = await open(server);
    const one = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] });
    const other = await client.subscribe({ resourceSubscriptions: ['a://b'] });
    await one.close();
    await one.close();
    server.sendResourceUpdated('a://b');
    addTool(server, 'second');
    expect(await take(other, 1)).toEqual([of('a://b')]);
    expect(await take(one, 1)).toEqual([]);
    await client.close();
    await other.close();
  });

  it('resolve every pending read', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe(everything);
    const reader = changes[Symbol.asyncIterator]();
    const waiting = Promise.all([reader.next(), reader.next()]);
    addTool(server, 'second');
    server.sendResourceUpdated('a://b');
    expect((await waiting).map(({ value }) => value)).toEqual([{ type: 'tools' }, of('a://b')]);
    await client.close();
  });

  it('can be closed in the same tick as the client, in either order', async () => {
    const client = await open(makeServer());
    const one = await client.subscribe(everything);
    const other = await client.subscribe(everything);
    const first = one.close().catch(({ code }) => code);
    const closing = client.close();
    const last = other.close().catch(({ code }) => code);
    await closing;
    expect([undefined, 'connection-closed']).toContain(await first);
    expect([undefined, 'connection-closed']).toContain(await last);
    await other.close();
  });

  it('end when the loop that reads them exits', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe({ toolsListChanged: true });
    addTool(server, 'second');
    for await (const change of changes) {
      expect(change).toEqual({ type: 'tools' });
      break;
    }
    addTool(server, 'third');
    expect(await take(changes, 1)).toEqual([]);
    await client.close();
  });

  it('that the server does not declare are refused, also as a part of a filter or of its update [S04]', async () => {
    const server = createServer({ name: 'bare', version: '1', tools: {} });
    const client = await open(server);
    const refusal = { code: 'capability-not-supported', details: { capability: 'prompts.listChanged' } };
    await expect(client.subscribe(everything)).rejects.toMatchObject(refusal);
    const changes = await client.subscribe({ toolsListChanged: true, promptsListChanged: false });
    await expect(changes.update(everything)).rejects.toMatchObject(refusal);
    expect(changes.acknowledged).toEqual({ toolsListChanged: true });
    addTool(server, 'second');
    expect(await take(changes, 1)).toEqual([{ type: 'tools' }]);
    await client.close();
  });

  it('end when the server closes: with a result where the revision has one, else with an error', async () => {
    const server = makeServer();
    const [here, there] = createMemoryTransports();
    const connection = server.accept(there);
    const client = await connect(here, { protocolVersions: [revision] });
    const changes = await client.subscribe({ toolsListChanged: true });
    const waiting = take(changes, 1);
    connection.close();
    const outcome = await waiting.catch(({ code }) => code);
    expect(outcome).toEqual(!isSession(revision) ? [] : 'connection-closed');
    await changes.close();
    await expect(client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] })).rejects.toMatchObject({
      code: 'connection-closed',
    });
  });

  it('cause a watched list to be fetched and a watched resource to be read again [S35]', async () => {
    let text = 'before';
    const server = makeServer();
    server.update((draft) => {
      draft.resources['a://text'] = resource({}, () => text);
    });
    const client = await open(server);
    let wake = (): void => {};
    const lists: string[][] = [];
    const texts: unknown[] = [];
    const received = (): void => wake();
    const until = async (met: () => boolean): Promise<void> => {
      while (!met()) await new Promise<void>((resolve) => (wake = resolve));
    };
    const watching = [
      await client.tools.watchList((tools) => {
        lists.push(tools.map(({ name }) => name));
        received();
      }),
      await client.resources.watch('a://text', ([contents]) => {
        texts.push((contents as { text?: string }).text);
        received();
      }),
    ];
    addTool(server, 'second');
    await until(() => lists.length === 2);
    text = 'after';
    server.sendResourceUpdated('a://text');
    await until(() => texts.length === 2);
    expect(lists).toEqual([['first'], ['first', 'second']]);
    expect(texts).toEqual(['before', 'after']);
    for (const { close: stop } of watching) await stop();
    addTool(server, 'third');
    await client.tools.list().all();
    expect(lists).toHaveLength(2);
    await client.close();
  });
});
