/** A server in a file may print anything, and may fail: standard output has the result, standard error the rest. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect, toText } from 'tenon';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { program } from '../program.ts';
import { type Printed, typed } from '../terminal.ts';

const printing = fileURLToPath(new URL('../fixtures/printing.ts', import.meta.url));

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-file-'));
});
afterAll(() => rmSync(home, { recursive: true }));

/** A process of its own: what a server prints is printed by the process that it is loaded into. */
const shell = (...typedWords: readonly string[]): Promise<Printed> =>
  new Promise((resolve) => {
    const { command, args } = program(...typedWords);
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
    const child = execFile(command, args, { cwd: root, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end();
  });

it('what the file prints does not mix with the envelope [S31]', async () => {
  const { code, out, err } = await shell('tools', printing, '--json');
  expect(JSON.parse(out)).toMatchObject({ ok: true, result: [{ name: 'hello' }, { name: 'broken' }] });
  expect({ code, err }).toEqual({ code: 0, err: 'printed on load\n' });
});

it('a call that another process holds shows what the server prints there', async () => {
  const { code, out, err } = await shell('call', printing, 'hello', '--json');
  expect(JSON.parse(out)).toMatchObject({ ok: true, result: { content: [{ text: 'Hello' }] } });
  expect({ code, err }).toEqual({ code: 0, err: 'printed on load\nprinted in a call\n' });
});

it('a call that another process holds shows why a tool failed', async () => {
  const failed = await shell('call', printing, 'broken');
  expect(failed).toMatchObject({ code: 1, out: 'The tool broken failed.\n' });
  expect(failed.err).toMatch(/the database is down[\s\S]*printing\.ts:/);
});

it('record keeps what the file prints out of the messages', async () => {
  const lines: string[] = [];
  const stderr = (line: string): void => void lines.push(line);
  const warnings: Error[] = [];
  const client = await connect(
    { ...program('record', join(home, 'printing.mcp.ndjson'), printing), stderr },
    { onWarning: (warning) => void warnings.push(warning) },
  );
  expect(toText(await client.tools.call('hello'))).toBe('Hello');
  await client.close();
  expect(warnings).toEqual([]);
  expect(lines).toEqual(expect.arrayContaining(['printed on load', 'printed in a call']));
});

it.each([
  ['throws', 'throwing.js', /^tenon: throwing\.js could not be loaded:\n +Error: no database\n +at .*throwing\.js:2/],
  ['lacks a package', 'importing.js', /tenon-not-installed[\s\S]*Check what it imports, or run npm install\.$/m],
])('a file that %s is named with the place, and exits with 3', async (_, file, message) => {
  const { code, err } = await typed(`tenon tools ${file}`);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/node_modules|node:internal/);
  expect(code).toBe(3);
  expect(JSON.parse((await typed(`tenon tools ${file} --json`)).out).error).toMatchObject({ step: 'start' });
});

const served = (name: string): string => fileURLToPath(new URL(`../fixtures/served/${name}`, import.meta.url));

it.each([
  ['is the only one that it exports', 'weather.ts'],
  ['it serves on stdio', 'stdio.ts'],
  ['it serves over HTTP', 'http.ts'],
])('the server of a file is found when %s', async (_, file) => {
  const { code, out } = await shell('tools', served(file), '--json');
  expect(JSON.parse(out)).toMatchObject({ ok: true, result: [{ name: 'forecast' }, { name: 'nothing' }] });
  expect(code).toBe(0);
});

it('a file with several servers is refused', async () => {
  const { code, err } = await shell('tools', served('several.ts'));
  expect(err).toContain('several.ts exports several servers: one, two. Make one of them the default export.');
  expect(code).toBe(2);
});

it('the client of a file sees why the returned value of a tool cannot be sent', async () => {
  const { out } = await shell('call', served('weather.ts'), 'nothing');
  expect(out).toBe(
    'The tool nothing failed: tools.nothing: the handler returned undefined. Return a string, content(…) or toolResult(…).\n',
  );
});

it.each(['serve', 'dev'])('%s uses the options of the file for HTTP', async (command) => {
  const child = startProgram(command, served('http.ts'), '--http', '0', '--json');
  const url = await child.url;
  expect((await fetch(url)).status).toBe(401);
  const client = await connect({ url, headers: { authorization: 'Bearer let-me-in' } });
  expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
  await client.close();
  child.end();
});

/** Starts a command that serves; its first line has the URL. */
function startProgram(...typedWords: readonly string[]): { readonly url: Promise<string>; end(): void } {
  const { command, args } = program(...typedWords);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = lines.next().then(({ value }) => JSON.parse(value ?? '{}').result.url as string);
  return { url, end: () => child.kill('SIGTERM') };
}

it.each(['serve', 'dev'])('%s uses the options of the file for standard streams [S22]', async (command) => {
  const target = { ...program(command, served('authenticated-stdio.ts')), stderr: 'inherit' as const };
  const refused = connect(target).then((client) => client.tools.call('who'));
  await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/authentication/i) });
});

it('serve does not open a server over HTTP that authenticates its callers on standard streams [S22]', async () => {
  const { code, err } = await typed(`tenon serve ${served('authenticated-stdio.ts')} --http 0`);
  expect([code, err]).toEqual([2, expect.stringContaining('serve it with serveHttp(server, { authenticate })')]);
});

it('serve on standard streams warns that a file authenticates its callers over HTTP only', async () => {
  const lines: string[] = [];
  const client = await connect({
    ...program('serve', served('http.ts')),
    stderr: (line: string) => lines.push(line),
  });
  expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
  await client.close();
  expect(lines.join()).toContain('add --http PORT');
});

it.each(['serve', 'dev'])('%s answers with the numbers of the table that --compat names [S29]', async (command) => {
  const typedWords = [command, served('weather.ts'), '--compat', 'reference', '--strict'];
  const client = await connect(program(...typedWords), { protocolVersions: ['2025-06-18'] });
  await expect(client.tools.call('nothing-there')).rejects.toMatchObject({ code: -32003 });
  await client.close();
});

it('serve refuses a dialect of clients by name', async () => {
  const { code, err } = await typed(`tenon serve ${served('weather.ts')} --compat tasks-create`);
  expect([code, err]).toEqual([2, expect.stringContaining('tasks-create')]);
});
