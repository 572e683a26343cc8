/** Every command with servers that others wrote: server-everything, server-filesystem, and one of version 2 of the official SDK. */
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, toText } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../../src/cli/io/io.ts';
import { commands } from '../../../src/cli/manifest/commands.ts';
import { type Program, published, v2Server } from '../../kit/peers/programs.ts';
import { type Printed, typed } from '../terminal.ts';
import { elsewhere, inOwnTests, rows } from './rows.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-grid-')));
beforeAll(() => writeFileSync(join(folder, 'a.txt'), 'kept'));
afterAll(() => rmSync(folder, { recursive: true }));

const servers: Readonly<Record<keyof typeof rows, () => Program>> = {
  everything: () => published('server-everything', 'stdio'),
  filesystem: () => published('server-filesystem', folder),
  v2: v2Server,
};
const names = Object.keys(servers) as (keyof typeof rows)[];

/** Types a line; what is stored goes to the folder of the test. */
function type(line: string, server: keyof typeof rows, own: Partial<Io> = {}): Promise<Printed> {
  const { command, args } = servers[server]();
  const words = line.replaceAll('FOLDER', folder).split(' ');
  const at = words.indexOf('SERVER');
  const before = at === -1 ? words : words.slice(0, at);
  const target = at === -1 ? [] : ['--quiet', '--', command, ...args];
  return typed(['tenon', ...before, ...target], { cwd: folder, env: { HOME: folder, PATH: process.env.PATH }, ...own });
}

describe.each(names)('with %s', (server) => {
  it.each(rows[server])('tenon $line exits with $exit [S31]', async ({ line, exit, prints }) => {
    const { code, out, err } = await type(line, server);
    expect(`${out}${err}`).toMatch(prints);
    expect(code).toBe(exit);
  });

  it('watch waits for changes until Ctrl+C [S32]', async () => {
    const interrupt = new AbortController();
    const err = (text: string): void => void (text.includes('watching') && interrupt.abort());
    expect((await type('watch SERVER', server, { signal: interrupt.signal, err })).code).toBe(0);
  });

  it('record, test and replay agree on a session [S32]', async () => {
    const [here, there] = createMemoryTransports();
    const file = `${server}.mcp.ndjson`;
    const recorded = type(`record FOLDER/${file} SERVER`, server, { openStdio: async () => there });
    const client = await connect(here);
    const tools = await client.tools.list().all();
    await client.close();
    expect((await recorded).code).toBe(0);
    expect(readdirSync(folder)).toContain(file);
    const again = await type(`test FOLDER/${file} --only tools/list SERVER`, server);
    expect(`${again.out}${again.err}`).not.toBe('');
    expect(again.code).toBe(0);
    expect((await type(`replay FOLDER/${file} SERVER`, server)).code).toBe(0);
    const [client2, served] = createMemoryTransports();
    const replayed = type(`replay FOLDER/${file}`, server, { openStdio: async () => served });
    const replay = await connect(client2);
    expect(await replay.tools.list().all()).toEqual(tools);
    await replay.close();
    expect((await replayed).code).toBe(0);
  });
});

it.each([
  ['everything', 'trigger-elicitation-request', ''],
  ['v2', 'greet', '--protocol-version 2025-11-25 '],
  ['v2', 'greet', '--protocol-version 2026-07-28 '],
] as const)('a call of %s that asks is completed by answer: %s %s[S31]', async (server, tool, revision) => {
  const asked = await type(`call ${tool} --json ${revision}SERVER`, server);
  expect(asked.code).toBe(5);
  const { id } = JSON.parse(asked.out).pending;
  const { code, out } = await type(`answer ${id} name=Ada --json`, server);
  expect(code).toBe(0);
  expect(toText(JSON.parse(out).result)).toContain('Ada');
});

it('every command is in the grid, or in tests of its own', () => {
  const typedHere = Object.values(rows).flatMap((list) => list.map(({ line }) => line.split(' ')[0] ?? ''));
  const known = new Set([...typedHere, ...inOwnTests, ...elsewhere]);
  expect(commands.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});
