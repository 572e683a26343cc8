/** `tenon dev` loads a server again when one of its files changes: connected clients stay, and are notified. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, connect, toText } from 'tenon';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadErrorText } from '../../../src/cli/target/load-error.ts';
import { root } from '../../architecture/source-tree.ts';
import { program } from '../program.ts';
import { typed } from '../terminal.ts';

let folder = '';
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-dev-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/tenon'));
  write('package.json', '{ "type": "module" }');
  write('greeting.js', "export const greeting = 'Hello';");
  write('server.js', serverWith('hello'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** At once, as editors do: a file that is half written would be one more reload. */
function write(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

const serverWith = (tool: string, instructions = 'Greet.'): string => `
  import { createServer, tool } from 'tenon';
  import { greeting } from './greeting.js';
  export default createServer({ name: 'greeter', version: '1.0.0', instructions: '${instructions}',
    tools: { ${tool}: tool({}, () => greeting) } });`;

/** Starts it over HTTP; each line it prints is one event. */
function start() {
  const { command, args } = program('dev', 'server.js', '--http', '0', '--json');
  // Not in the folder of this repository, whose tsx starts the program.
  child = spawn(
    command,
    args.map((arg) => (arg === 'server.js' ? join(folder, arg) : arg)),
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async (): Promise<Record<string, string>> => JSON.parse((await lines.next()).value ?? '{}').result;
}

const greet = async (client: Client, tool: string): Promise<string> => toText(await client.tools.call(tool));

it('dev loads changed files, shows errors, and keeps clients of both lifecycles connected [S31]', async () => {
  const next = start();
  const { event, url = '', inspector = '' } = await next();
  expect(event).toBe('served');
  expect(await (await fetch(inspector)).text()).toContain('<title>');
  const session = await connect(url, { protocolVersions: ['2025-11-25'], reconnect: false });
  const exchange = await connect(url, { protocolVersions: ['2026-07-28'], reconnect: false });
  const changes = (await session.subscribe({ toolsListChanged: true }))[Symbol.asyncIterator]();

  write('greeting.js', "export const greeting = 'Good morning';");
  expect(await next()).toEqual({ event: 'reloaded', url });
  expect((await changes.next()).value).toEqual({ type: 'tools' });
  for (const client of [session, exchange]) expect(await greet(client, 'hello')).toBe('Good morning');

  write('server.js', 'export default {');
  expect(await next()).toMatchObject({
    event: 'failed',
    message: expect.stringMatching(/server\.js:1\nexport default \{\nSyntaxError: Unexpected/),
  });
  for (const client of [session, exchange]) expect(await greet(client, 'hello')).toBe('Good morning');

  write('server.js', serverWith('greet'));
  expect(await next()).toEqual({ event: 'reloaded', url });
  for (const client of [session, exchange]) expect(await greet(client, 'greet')).toBe('Good morning');

  write('server.js', serverWith('greet', 'Greet well.'));
  await Promise.all([session.close(), exchange.close()]);
  expect(await next()).toEqual({ event: 'restarted', url });
  const later = await connect(url);
  expect(later.instructions).toBe('Greet well.');
  await later.close();
});

it('the line of a syntax error is found in the file that has it, and nothing of it runs', async () => {
  write('broken.mjs', "import { a } from './fine.mjs';\nexport const b = ;\n");
  write('fine.mjs', "import { writeFileSync } from 'node:fs';\nwriteFileSync('ran', '');\nexport const a = 1;\n");
  write('entry.mjs', "import './broken.mjs';\n");
  const error = new SyntaxError("Unexpected token ';'");
  expect(await loadErrorText(join(folder, 'entry.mjs'), error)).toMatch(
    /^[^\n]+\/broken\.mjs:2\nexport const b = ;\n {17}\^\nSyntaxError: Unexpected token ';'/,
  );
  expect(await loadErrorText(join(folder, 'fine.mjs'), error)).toMatch(/^SyntaxError/);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

it.each([
  ['no file', 'dev', /FILE is missing/],
  ['a file that is not there', 'dev ./nothing.ts', /There is no file .*nothing\.ts/],
  ['a port that is none', 'dev plain-server.js --http many', /--http cannot be "many"/],
])('dev with %s says what to do', async (_, line, message) => {
  const { code, err } = await typed(`tenon ${line}`);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});
