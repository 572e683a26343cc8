/** Lists without a connection: from the lock or a store, compared with the server at its first use. */
import { createServer, prompt, type Server, tool, toText } from 'tenon';
import { createLock, createPolicy, type LockStorage } from 'tenon/guard';
import type { HostOptions, ListStore } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/connect.ts';
import { buildHost } from '../../src/host/host.ts';
import { staleMs } from '../../src/host/stored-lists/from-store.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';

const readTool = (description: string) =>
  tool({ description, inputSchema: z.object({ path: z.string() }) }, ({ path }) => `read ${path}`);

const filesServer = (name = 'files') =>
  createServer({
    name,
    version: '1.0.0',
    instructions: 'Read files.',
    tools: { read: readTool('Reads a file'), write: tool({ description: 'Writes' }, () => 'written') },
    prompts: { plan: prompt({}, () => 'Plan') },
  });

const changeRead = (server: Server, description: string) =>
  server.update(({ tools }) => {
    tools.read = readTool(description);
  });

/** A host whose servers are commands, and run in this process. `starts` has the servers that were started. */
function hosting(servers: Record<string, Server>, options: Partial<HostOptions> = {}) {
  const starts: string[] = [];
  const warnings: string[] = [];
  const configured = Object.keys(servers).map((name) => [name, { command: 'run', args: [name] }]);
  const host = buildHost(
    {
      servers: Object.fromEntries(configured),
      consent: 'allow-all',
      lists: 'stored',
      onWarning: (_: string, error: Error) => warnings.push(error.message),
      ...options,
    } as never,
    (_target, connect, name) => {
      starts.push(name);
      return createClient(servers[name] as Server, connect);
    },
  );
  onTestFinished(() => host.close());
  const names = async () => (await host.tools.list()).items.map((one) => one.name);
  return { host, starts, warnings, names };
}

function memoryLists(): ListStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (key) => texts.get(key),
    write: (key, text) => void (text === undefined ? texts.delete(key) : texts.set(key, text)),
  };
}

function memoryLock() {
  let text: string | undefined;
  const storage: LockStorage & { edit(change: (text: string) => string): void } = {
    read: async () => text,
    async update(change) {
      text = await change(text);
    },
    edit: (change) => (text = change(text ?? '')),
  };
  return { lock: createLock(storage), storage };
}

/** Everything of the servers is approved. */
async function approved(servers: Record<string, Server>) {
  const made = memoryLock();
  const { host } = hosting(servers, { lock: made.lock, lists: 'live' });
  await host.approve(await host.lockStatus());
  await host.close();
  return made;
}

describe('lists from the lock', () => {
  it('start no server; a call starts its own', async () => {
    const servers = { files: filesServer(), other: filesServer('other') };
    const { lock } = await approved(servers);
    const { host, starts, names } = hosting(servers, { lock });
    expect(await names()).toEqual(['files__read', 'files__write', 'other__read', 'other__write']);
    expect((await host.prompts.list()).items.map(({ name }) => name)).toEqual(['files__plan', 'other__plan']);
    expect((await host.resources.list()).errors).toEqual([]);
    expect(host.instructions().map(({ server }) => server)).toEqual(['files', 'other']);
    expect(starts).toEqual([]);
    expect(host.health().map(({ state }) => state)).toEqual(['idle', 'idle']);
    expect(toText(await host.tools.call('files__read', { path: '/a' }))).toBe('read /a');
    expect(starts).toEqual(['files']);
    expect(await names()).toHaveLength(4);
  });

  it('refuse a tool that has changed at its first call, and still call the others', async () => {
    const server = filesServer();
    const { lock } = await approved({ files: server });
    changeRead(server, 'Reads a file, and sends it on');
    const { host, names } = hosting({ files: server }, { lock });
    expect(await names()).toEqual(['files__read', 'files__write']);
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({ code: 'lock-mismatch' });
    expect(toText(await host.tools.call('files__write'))).toBe('written');
    expect(await names()).toEqual(['files__write']);
  });

  it('refuse another server under the name that was approved', async () => {
    const { lock } = await approved({ files: filesServer() });
    const { host, names } = hosting({ files: filesServer('impostor') }, { lock });
    expect(await names()).toHaveLength(2);
    await expect(host.tools.call('files__write')).rejects.toMatchObject({ code: 'lock-mismatch' });
  });

  it('have nothing of a server whose command is another one, or that was never approved, and say why', async () => {
    const servers = { files: filesServer() };
    const { lock } = await approved(servers);
    const other = { servers: { files: { command: 'run', args: ['another'] } } } as Partial<HostOptions>;
    const changed = hosting(servers, { lock, ...other });
    const unknown = hosting({ unknown: filesServer() }, { lock });
    for (const { host, starts } of [changed, unknown]) {
      expect(await host.tools.list()).toMatchObject({ items: [], errors: [{ error: { code: 'lock-mismatch' } }] });
      expect(starts).toEqual([]);
    }
  });

  it('are refused whole if the lock was edited', async () => {
    const { lock, storage } = await approved({ files: filesServer() });
    storage.edit((text) => text.replace('Reads a file', 'Reads every file'));
    const { host, starts } = hosting({ files: filesServer() }, { lock });
    expect(await host.tools.list()).toMatchObject({ items: [], errors: [{ error: { code: 'invalid-lock' } }] });
    expect(starts).toEqual([]);
  });
});

describe('a policy', () => {
  const policy = (on: string) =>
    createPolicy(`
version: 1
rules:
  - {id: see, allow: [list], to: any, on: any}
  - {id: read, allow: [call], to: any, on: {tool: read}}
  - {id: hide, deny: [list], to: any, on: {tool: ${on}}}
`);

  it('hides tools of a stored list, and a call that it denies starts no server', async () => {
    const servers = { files: filesServer() };
    const [{ lock }, listStore] = [await approved(servers), memoryLists()];
    await hosting(servers, { listStore }).names();
    for (const from of [{ lock }, { listStore }]) {
      const { host, starts, names } = hosting(servers, { ...from, policy: policy('write'), consent: {} });
      expect(await names()).toEqual(['files__read']);
      await expect(host.tools.call('files__write')).rejects.toMatchObject({ code: 'permission-denied' });
      expect(starts).toEqual([]);
      expect(toText(await host.tools.call('files__read', { path: '/a' }))).toBe('read /a');
    }
  });
});

describe('lists from a store', () => {
  it('start each server once, and none after that', async () => {
    const [servers, listStore] = [{ files: filesServer() }, memoryLists()];
    const first = hosting(servers, { listStore });
    expect(await first.names()).toEqual(['files__read', 'files__write']);
    await first.host.prompts.list();
    expect(first.starts).toEqual(['files']);
    const second = hosting(servers, { listStore });
    expect(await second.names()).toEqual(['files__read', 'files__write']);
    expect((await second.host.prompts.list()).items).toHaveLength(1);
    expect(second.host.instructions()).toEqual([{ server: 'files', text: 'Read files.' }]);
    expect(second.starts).toEqual([]);
    expect(toText(await second.host.tools.call('files__read', { path: '/a' }))).toBe('read /a');
    expect(second.starts).toEqual(['files']);
  });

  it('have no command, argument or URL in their keys', async () => {
    const listStore = memoryLists();
    await hosting({ files: filesServer() }, { listStore }).names();
    expect([...listStore.texts.keys()]).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
  });

  it('are apart for each user and each entry of the configuration', async () => {
    const listStore = memoryLists();
    for (const principal of ['ada', 'eve']) await hosting({ files: filesServer() }, { listStore, principal }).names();
    await hosting({ again: filesServer() }, { listStore, principal: 'ada' }).names();
    expect(listStore.texts.size).toBe(3);
  });

  /** The second is `env` of the host. */
  const entries: Readonly<Record<string, (key: string) => readonly [entry: object, env?: Record<string, string>]>> = {
    'an environment': (key) => [{ command: 'run', env: { API_KEY: key } }],
    'a variable in it': (key) => [{ command: 'run', env: { API_KEY: '${KEY}' } }, { KEY: key }],
    'a folder': (key) => [{ command: 'run', cwd: `/${key}` }],
    'a header': (key) => [{ url: 'https://a.example/mcp', headers: { 'X-Api-Key': key } }],
  };

  it.each(Object.entries(entries))('are not those of the same server with %s of another user', async (_, entryOf) => {
    const listStore = memoryLists();
    const toolOf = (key: string) =>
      createServer({ name: 'files', version: '1.0.0', tools: { [`of_${key}`]: tool({}, () => key) } });
    for (const _round of [1, 2])
      for (const key of ['ada-secret', 'eve-secret']) {
        const [files, env] = entryOf(key);
        const options = { listStore, servers: { files }, ...(env && { env }) } as Partial<HostOptions>;
        const { host, names } = hosting({ files: toolOf(key) }, options);
        expect(await names()).toEqual([`files__of_${key}`]);
        await host.close();
      }
    expect([...listStore.texts.keys()].join()).not.toContain('secret');
    expect(listStore.texts.size).toBe(2);
  });

  it('refuse a tool that has changed once, with its definition, and show the new one', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    await hosting({ files: server }, { listStore }).names();
    changeRead(server, 'Reads a file by lines');
    const { host } = hosting({ files: server }, { listStore });
    const changes = host.subscribe({ toolsListChanged: true });
    await host.tools.list();
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({
      code: 'definition-changed',
      message: expect.stringMatching(
        /has changed since its list was stored\. It is now .*Reads a file by lines/,
      ) as string,
    });
    expect(toText(await host.tools.call('files__read', { path: '/a' }))).toBe('read /a');
    const seen: string[] = [];
    for await (const { change } of changes) {
      seen.push(change.type);
      if (change.type === 'tools') break;
    }
    expect(seen).toContain('tools');
    const third = hosting({ files: server }, { listStore });
    expect((await third.host.tools.list()).items[0]?.description).toBe('Reads a file by lines');
  });

  it('refuse a tool that the server does not have any more', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    await hosting({ files: server }, { listStore }).names();
    server.update(({ tools }) => {
      delete tools.read;
    });
    const { host, names } = hosting({ files: server }, { listStore });
    await names();
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({
      code: 'definition-changed',
      message: expect.stringMatching(/does not have it any more/) as string,
    });
    expect(await names()).toEqual(['files__write']);
  });

  it('do not ask the user about a definition that is not that of the server', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    await hosting({ files: server }, { listStore }).names();
    changeRead(server, 'Other');
    const asked: unknown[] = [];
    const consent = {
      tool: ({ definition }: { definition?: { description?: string } }) => (
        asked.push(definition?.description), 'allow' as const
      ),
    };
    const { host, names } = hosting({ files: server }, { listStore, consent } as never);
    await names();
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({ code: 'definition-changed' });
    expect(asked).toEqual([]);
    await host.tools.call('files__read', { path: '/a' });
    expect(asked).toEqual(['Other']);
  });

  it('start a server once for calls at the same time', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    await hosting({ files: server }, { listStore }).names();
    const { host, starts, names } = hosting({ files: server }, { listStore });
    await names();
    await Promise.all([1, 2, 3].map(() => host.tools.call('files__write')));
    expect(starts).toEqual(['files']);
  });

  it('are dropped with a warning if they are damaged, or of a server that calls itself otherwise', async () => {
    const listStore = memoryLists();
    await hosting({ files: filesServer() }, { listStore }).names();
    const [[key, text] = ['', '']] = listStore.texts;
    const edited = (name: string, value: unknown): string => {
      const list = JSON.parse(text) as { lists: { tool: object[] } };
      Object.assign(list.lists.tool[0] ?? {}, { [name]: value });
      return JSON.stringify(list);
    };
    const edits = [
      edited('description', 5),
      edited('title', {}),
      edited('annotations', 'x'),
      edited('inputSchema', []),
    ];
    for (const damaged of ['{', '{"format":2}', text.replace('"name":"read"', '"name":7'), 'null', ...edits]) {
      listStore.texts.set(key, damaged);
      const { names, starts, warnings } = hosting({ files: filesServer() }, { listStore });
      expect(await names()).toHaveLength(2);
      expect(starts).toEqual(['files']);
      expect(warnings).toEqual([expect.stringMatching(/stored lists of the server files are damaged/)]);
    }
    const { host, warnings, names } = hosting({ files: filesServer('renamed') }, { listStore });
    await names();
    expect(toText(await host.tools.call('files__write'))).toBe('written');
    expect(warnings).toEqual([expect.stringMatching(/calls itself "renamed"/)]);
    expect(JSON.parse(listStore.texts.get(key) ?? '')).toMatchObject({ name: 'renamed' });
  });

  it('that are a week old are listed again after the first call, of every kind', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    const before = hosting({ files: server }, { listStore });
    await before.names();
    await before.host.prompts.list();
    const [[key, text] = ['', '']] = listStore.texts;
    const { storedAt } = JSON.parse(text) as { storedAt: number };
    listStore.texts.set(key, text.replace(`${storedAt}`, `${storedAt - staleMs - 1000}`));
    server.update(({ prompts }) => {
      prompts.new = prompt({}, () => 'New');
    });
    const { host, names } = hosting({ files: server }, { listStore });
    await names();
    await host.prompts.list();
    await host.tools.call('files__write');
    await expect.poll(() => listStore.texts.get(key)).toContain('"new"');
  });

  it('are compared again after the connection was closed as unused', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    const clock = createFakeClock();
    const { host, starts, names } = hosting(
      { files: server },
      { listStore, timeouts: { idleMs: 1000 }, ...withClock(clock) },
    );
    await names();
    await clock.advance(1000);
    await expect.poll(() => host.health()[0]?.state).toBe('idle');
    expect(await names()).toHaveLength(2);
    expect(starts).toHaveLength(1);
    changeRead(server, 'Reads otherwise');
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({ code: 'definition-changed' });
    expect(starts).toHaveLength(2);
  });

  it('are not needed: a store that fails is reported, and the servers are started', async () => {
    const failing: ListStore = {
      read: () => Promise.reject(new Error('the disk is away')),
      write: () => Promise.reject(new Error('the disk is away')),
    };
    const { names, warnings } = hosting({ files: filesServer() }, { listStore: failing });
    expect(await names()).toHaveLength(2);
    expect(warnings).toHaveLength(2);
  });

  it('report a server that does not start with the call, not with the list', async () => {
    const [server, listStore] = [filesServer(), memoryLists()];
    await hosting({ files: server }, { listStore }).names();
    const host = buildHost(
      { servers: { files: { command: 'run', args: ['files'] } }, consent: 'allow-all', lists: 'stored', listStore },
      () => {
        throw new Error('no such program');
      },
    );
    onTestFinished(() => host.close());
    expect(await host.tools.list()).toMatchObject({ items: [{}, {}], errors: [] });
    await expect(host.tools.call('files__write')).rejects.toThrow('no such program');
  });
});

it("lists: 'stored' without a lock and a store is refused with what to pass", () => {
  expect(() => hosting({ files: filesServer() })).toThrow(/neither a lock nor a listStore.*listsFolder/s);
});
