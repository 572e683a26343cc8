/** A toolkit on a host whose servers are not running, and one that continues the conversation of another process. */
import { createServer, type Server, tool } from 'tenon';
import { createHostPool, createToolkit, type ToolOutcome } from 'tenon/agents';
import type { HostOptions } from 'tenon/host';
import { createMemoryStore } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/connect.ts';
import { buildHost } from '../../src/host/host.ts';

const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    find: tool({ description: 'Finds notes', inputSchema: z.object({ word: z.string() }) }, () => 'found'),
    export: tool({ description: 'Exports all notes' }, () =>
      Array.from({ length: 5000 }, (_, n) => `note ${n}`).join('\n'),
    ),
  },
});

/** A host whose server is a command, and runs in this process. */
function hosting(server: Server, options: Partial<HostOptions>) {
  const starts: string[] = [];
  const host = buildHost(
    { servers: { notes: { command: 'notes' } }, consent: 'allow-all', ...options } as never,
    (_, connect, name) => {
      starts.push(name);
      return createClient(server, connect);
    },
  );
  onTestFinished(() => host.close());
  return { host, starts };
}

const memoryLists = () => {
  const texts = new Map<string, string>();
  return { read: (key: string) => texts.get(key), write: (key: string, text = '') => void texts.set(key, text) };
};

const textOf = (outcome: ToolOutcome): string => (outcome.type === 'result' ? outcome.text : outcome.type);

it('a toolkit lists the tools of servers that are not running, and gives the model a changed definition', async () => {
  const listStore = memoryLists();
  await hosting(notes, { lists: 'stored', listStore }).host.tools.list();
  notes.update(({ tools }) => {
    tools.find = tool(
      { description: 'Finds by tag', inputSchema: z.object({ tag: z.string() }) },
      ({ tag }) => `found ${tag}`,
    );
  });
  const { host, starts } = hosting(notes, { lists: 'stored', listStore });
  const kit = createToolkit(host);
  onTestFinished(() => kit.close());
  const { tools, errors } = await kit.list();
  expect(tools.map(({ name }) => name)).toEqual(['read_more', 'notes__export', 'notes__find']);
  expect([errors, starts]).toEqual([[], []]);
  const refused = await kit.call({ id: '1', name: 'notes__find', arguments: { word: 'x' } });
  expect(textOf(refused)).toMatch(/^notes__find was not called: it has changed\..*"description":"Finds by tag".*"tag"/);
  expect(textOf(await kit.call({ id: '2', name: 'notes__find', arguments: { tag: 'home' } }))).toBe('found home');
  expect(starts).toEqual(['notes']);
  expect((await kit.list()).tools.at(-1)?.description).toBe('Finds by tag');
});

it('a long result is read on by another process that has the store and the ID of the conversation, and by no other', async () => {
  const { results } = createMemoryStore();
  const kitOf = (id: string, principal = 'ada') => {
    const kit = createToolkit(hosting(notes, { principal }).host, { id, results: { store: results, maxChars: 500 } });
    onTestFinished(() => kit.close());
    return kit;
  };
  const text = textOf(await kitOf('ada/1').call({ id: '1', name: 'notes__export', arguments: {} }));
  const handle = /\[(r\w+): /.exec(text)?.[1];
  const read = async (id: string, principal?: string) =>
    textOf(await kitOf(id, principal).call({ id: '2', name: 'read_more', arguments: { handle, find: 'note 4242' } }));
  expect(await read('ada/1')).toContain('note 4241\nnote 4242\nnote 4243');
  expect(await read('ada/1', 'eve')).toMatch(/is not stored any more\. Call the tool again/);
  expect(await read('eve/1')).toMatch(/is not stored any more\. Call the tool again/);
});

it('users of a pool do not see the stored lists of each other', async () => {
  const listStore = memoryLists();
  const toolOf = (user: string) =>
    createServer({ name: 'notes', version: '1.0.0', tools: { [`of_${user}`]: tool({}, () => user) } });
  const started: string[] = [];
  const poolOf = () => {
    const pool = createHostPool((user) => {
      const { host, starts } = hosting(toolOf(String(user)), { lists: 'stored', listStore, principal: user });
      const close = host.close;
      return Object.assign(host, {
        close: () => close().finally(() => started.push(...starts.map(() => String(user)))),
      });
    });
    onTestFinished(() => pool.close());
    const names = (user: string) =>
      pool.use(user, async (host) => (await host.tools.list()).items.map(({ originalName }) => originalName));
    return { pool, names };
  };
  for (const { pool, names } of [poolOf(), poolOf()]) {
    expect([await names('ada'), await names('eve')]).toEqual([['of_ada'], ['of_eve']]);
    await pool.close();
  }
  // The second pool has started nothing.
  expect(started.sort()).toEqual(['ada', 'eve']);
});
