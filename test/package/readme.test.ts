/** The blocks of the README and of the quickstart run as they are pasted into an empty folder with the packed package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';
import { type EmptyFolder, packInto } from './new-project.ts';

let empty: EmptyFolder;
let cli = '';
beforeAll(async () => {
  empty = await packInto();
  const modules = join(empty.folder, 'node_modules');
  await mkdir(join(modules, 'tenon'), { recursive: true });
  await empty.run('tar', ['-xzf', empty.tarball, '--strip-components=1', '-C', join(modules, 'tenon')]);
  // What the page says to install: zod, and libsql on Node 20. The official SDK is that of a user who has a server on it.
  for (const name of new Set([...dependencies, 'zod', 'libsql', '@modelcontextprotocol/sdk'])) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(empty.folder, 'package.json'), '{ "type": "module" }');
  cli = join(modules, 'tenon/dist/cli.js');
});
afterAll(() => empty?.remove());

/** The code blocks of a page, by the file that the line above them names, or by their heading. */
async function blocksOf(page: string): Promise<Map<string, string>> {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = new Map<string, string>();
  let heading = '';
  for (const [, title, above = '', code = ''] of text.matchAll(
    /^## (.*)$|^(.*)\n\n```(?:ts|js|yaml)(?: no-run)?\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) heading = title;
    else blocks.set(/`([\w-]+\.(?:js|yaml))`/.exec(above)?.[1] ?? heading, code);
  }
  return blocks;
}

async function paste(page: string): Promise<Map<string, string>> {
  const blocks = await blocksOf(page);
  for (const [name, code] of blocks) {
    const file = /\.(?:js|yaml)$/.test(name) ? name : `${name}.js`;
    await writeFile(join(empty.folder, file), code);
  }
  return blocks;
}

const node = (...args: readonly string[]): Promise<string> => empty.run(process.execPath, args);
const tenon = (...args: readonly string[]): Promise<string> => node(cli, ...args);

it('those of the README do', async () => {
  const blocks = await paste('README.md');
  expect([...blocks.keys()]).toEqual([
    'server.js',
    'client.js',
    'Over HTTP',
    'Ask the user',
    'policy.yaml',
    'ops.js',
    'reports.js',
    'Bring the server you have',
  ]);
  expect(await node('client.js')).toBe('2026-07-28 Sunny in Oslo\n');
  expect(await node('Over HTTP.js')).toBe('Sunny in Oslo\n');
  expect(await node('Ask the user.js')).toContain('2026-07-28 Booked Oslo for 2\n');
  expect(await tenon('policy', 'test', 'policy.yaml')).toContain('2 of 2 passed');
  expect(await tenon('tools', './server.js')).toContain('forecast');
  const { result } = JSON.parse(await tenon('call', 'forecast', 'city=Oslo', '--json', '--', 'node', 'server.js'));
  expect(result.content).toEqual([{ type: 'text', text: 'Sunny in Oslo' }]);
  expect(await tenon('tools', '--', 'node', 'ops.js')).toContain('deploy');
});

it('the task of the README runs, with its store', async () => {
  await paste('README.md');
  const url = await served('reports.js');
  const { result } = JSON.parse(await tenon('call', url, 'report', '--json'));
  expect(result.content[0].text).toMatch(/^1000 rows in report-\d+\.pdf$/);
});

it('the server of the official SDK in the README is served', async () => {
  await paste('README.md');
  const { result } = JSON.parse(await tenon('info', await served('Bring the server you have.js'), '--json'));
  expect(result.serverInfo).toEqual({ name: 'weather', version: '1.0.0' });
});

it('those of the quickstart do, and tenon finds their server', async () => {
  const blocks = await paste('docs/guide/quickstart.md');
  expect([...blocks.keys()]).toEqual(['weather.js', 'stdio.js', 'client.js', 'http.js']);
  expect(await node('client.js')).toBe('forecast: The forecast for a city\n2026-07-28 Sunny in Oslo\n');
  for (const file of ['weather.js', 'stdio.js', 'http.js'])
    expect(await tenon('tools', `./${file}`)).toContain('forecast');
});

/** Serves a file at a free port, with its own options. */
async function served(file: string): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [cli, 'serve', file, '--http', '0', '--json'], {
    cwd: empty.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return JSON.parse((await lines.next()).value ?? '{}').result.url as string;
}
