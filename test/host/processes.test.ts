/** A host of real servers: published ones from npm, and one that is killed. */

import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, serveHttp, tool, toText } from 'tenon';
import { createHost, type HostOptions, listsFolder } from 'tenon/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import { isRunning } from '../kit/process/is-running.ts';
import { withTimeout } from '../kit/with-timeout.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-host-')));
  await writeFile(join(folder, 'a.txt'), 'written before');
});
afterAll(() => rm(folder, { recursive: true }));

const published = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
const killed = { command: process.execPath, args: [await bundledProgram('killed-server', 'host')] };

describe('a host of real servers', () => {
  it('lists the features of all servers of one configuration, and calls a tool of each [S30] [S31]', async () => {
    const service = await serveHttp(
      createServer({ name: 'clock', version: '1.0.0', tools: { now: tool({}, () => 'noon') } }),
      { port: 0 },
    );
    const config = {
      mcpServers: {
        files: { command: '${NODE}', args: [published('server-filesystem'), '${FOLDER}'] },
        memory: {
          command: '${NODE}',
          args: [published('server-memory')],
          env: { MEMORY_FILE_PATH: '${FOLDER}/${MEMORY:-memory.jsonl}' },
        },
        everything: { type: 'stdio', command: '${NODE}', args: [published('server-everything'), 'stdio'] },
        clock: { type: 'http', url: service.url },
        broken: { command: '${NODE}', args: ['-e', 'process.exit(3)'] },
      },
    };
    const stderr: string[] = [];
    const host = createHost({
      servers: config,
      env: { NODE: process.execPath, FOLDER: folder },
      consent: 'allow-all',
      onStderr: (server, line) => stderr.push(`${server}: ${line}`),
    });
    try {
      const tools = await host.tools.list();
      const names = tools.items.map(({ name }) => name);
      const some = ['files__read_text_file', 'memory__read_graph', 'everything__echo', 'clock__now'];
      expect(names).toEqual(expect.arrayContaining(some));
      expect(tools.errors).toMatchObject([{ server: 'broken', error: { code: 'server-exited' } }]);
      const resources = await host.resources.list();
      expect(resources.items.map(({ hostUri: address }) => address)).toContain('memory/memory://knowledge-graph');
      expect((await host.resources.listTemplates()).items.map(({ server }) => server)).toContain('everything');
      expect((await host.prompts.list()).items.map(({ name }) => name)).toContain('everything__args-prompt');

      const call = async (name: string, given = {}) => toText(await host.tools.call(name, given));
      expect(await call('files__read_text_file', { path: join(folder, 'a.txt') })).toBe('written before');
      expect(await call('everything__echo', { message: 'hi' })).toBe('Echo: hi');
      expect(await call('clock__now')).toBe('noon');
      await call('memory__create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] });
      const graph = await host.resources.read('memory/memory://knowledge-graph');
      expect(JSON.stringify(graph)).toContain('Ada');
      const { messages } = await host.prompts.get('everything__args-prompt', { city: 'Oslo' });
      expect(JSON.stringify(messages)).toContain('Oslo');
      expect(host.health().filter(({ state }) => state === 'ready')).toHaveLength(4);
      await expect.poll(() => stderr.some((line) => line.startsWith('files: '))).toBe(true);
    } finally {
      await withTimeout(host.close(), 'the host to close');
      await service.close();
    }
  });
});

describe('a server that is killed', () => {
  it('is reported, does not affect the others, is restarted, and leaves no process [S31]', async () => {
    const other = createServer({ name: 'other', version: '1.0.0', tools: { here: tool({}, () => 'here') } });
    const host = createHost({
      servers: { killed, other },
      consent: 'allow-all',
      connectOptions: { reconnect: { initialDelayMs: 1, maxDelayMs: 1 } },
    });
    const pid = async (): Promise<number> => Number(toText(await host.tools.call('killed__pid')));
    const first = await pid();
    const failing = host.tools.call('killed__end');
    expect(toText(await host.tools.call('other__here'))).toBe('here');
    await expect(failing).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(host.health()).toMatchObject([
      { server: 'killed', failures: 1, lastError: { error: { code: 'outcome-unknown' } } },
      { server: 'other', state: 'ready', failures: 0 },
    ]);
    const second = await pid();
    expect([second !== first, isRunning(first), isRunning(second)]).toEqual([true, false, true]);
    expect((await host.tools.list()).errors).toEqual([]);
    await withTimeout(host.close(), 'the host to close');
    expect(isRunning(second)).toBe(false);
  });
});

describe('stored lists of twenty servers', () => {
  it('start no process, and one for the first call, from a store and from the lock', async (ctx) => {
    const [starts, lists, lock] = ['starts', 'lists', 'mcp.lock'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await mkdir(starts);
    const program = await bundledProgram('counted-server', 'host');
    const names = Array.from({ length: 20 }, (_, n) => `server${n}`);
    const entries = names.map((name) => [name, { command: process.execPath, args: [program, starts, name] }]);
    const servers = Object.fromEntries(entries) as HostOptions['servers'];
    const listStore = listsFolder({ folder: lists });
    const started = async (): Promise<number> => (await readdir(starts)).length;
    const open = (options: Partial<HostOptions>) =>
      createHost({ servers, consent: 'allow-all', lists: 'stored', listStore, ...options });

    const first = open({});
    expect(await first.tools.list()).toMatchObject({ items: { length: 160 }, errors: [] });
    await withTimeout(first.close(), 'the first host to close');
    const approving = open({ lock, lists: 'live' });
    await approving.approve(await approving.lockStatus());
    await withTimeout(approving.close(), 'the approving host to close');
    const before = await started();
    expect(before).toBe(40);
    // Windows has no such bits.
    const otherUsers = process.platform === 'win32' ? 0 : (await stat(lists)).mode & 0o077;
    expect(otherUsers).toBe(0);

    for (const [n, options] of [{}, { lock }].entries()) {
      const host = open(options);
      const begun = performance.now();
      const { items, errors } = await host.tools.list();
      await ctx.annotate(
        `${items.length} tools ${'lock' in options ? 'of the lock' : 'of the store'} in ${Math.round(performance.now() - begun)} ms`,
        'figure',
      );
      expect([items.length, errors, (await started()) - before]).toEqual([160, [], n]);
      expect(toText(await host.tools.call('server7__first'))).toBe('first done');
      expect((await started()) - before).toBe(n + 1);
      await withTimeout(host.close(), 'the host to close');
    }
  });
});
