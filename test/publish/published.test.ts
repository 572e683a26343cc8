/** The packages are published to a registry of this machine, and a new user starts from there. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { requires } from '../kit/requires.ts';
import { packInto } from '../package/new-project.ts';
import { type Registry, startRegistry, whyNoRegistry } from './registry.ts';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

let registry: Registry;
beforeAll(async () => {
  if (whyNoRegistry() !== undefined) return;
  registry = await startRegistry();
  await publish('0.1.0');
});
afterAll(() => registry?.close());

/** Publishes the packages as they are packed, under a version. */
async function publish(version: string): Promise<void> {
  const { folder, tarball, run, remove } = await packInto();
  await run('tar', ['-xzf', tarball]);
  for (const name of ['create-tenon', 'tenon-migrate']) {
    await cp(join(root, 'packages', name), join(folder, name), { recursive: true });
  }
  for (const name of ['package', 'create-tenon', 'tenon-migrate']) {
    const path = join(folder, name, 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    manifest.version = version;
    if (name === 'create-tenon') manifest.dependencies.tenon = version;
    await writeFile(path, JSON.stringify(manifest));
    await registry.run('npm', ['publish', '--ignore-scripts'], join(folder, name));
  }
  await remove();
}

const versionIn = async (project: string): Promise<string> =>
  (JSON.parse(await readFile(join(project, 'node_modules/tenon/package.json'), 'utf8')) as Manifest).version;

/** A project without anything in it yet. */
async function emptyProject(name: string): Promise<string> {
  const folder = join(registry.folder, name);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  return folder;
}

/** The first command of a page. */
const commandIn = (page: string): string => /```sh\n(.+)\n/.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? '';

it('npm create tenon leads to a called tool, and the next version replaces the first [S31]', async (context) => {
  requires(context, whyNoRegistry());
  const project = join(registry.folder, 'weather');
  const npm = (...args: readonly string[]): Promise<string> => registry.run('npm', args, project);

  const started = performance.now();
  const printed = await registry.run('sh', ['-c', commandIn('packages/create-tenon/README.md')]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  expect(printed).toMatch(/\nSunny in Oslo\n$/);
  await context.annotate(`from an empty folder and an empty cache to the first answered call: ${seconds} s`, 'figure');

  expect(await npm('test')).toMatch(/pass 3\n.*fail 0/s);
  await npm('run', 'check');
  await npm('run', 'build');
  expect(await versionIn(project)).toBe('0.1.0');

  // The project is a package with a program of its name.
  await npm('pack', '--pack-destination', registry.folder);
  const other = await emptyProject('other');
  await registry.run('npm', ['install', '../weather-0.1.0.tgz'], other);
  const byName = ['tenon', 'call', 'forecast', 'city=Oslo', '--', 'npx', 'weather'];
  expect(await registry.run('npx', byName, other)).toBe('Sunny in Oslo\n');

  await publish('0.1.1');
  await npm('update', 'tenon');
  expect(await versionIn(project)).toBe('0.1.1');
  const call = ['tenon', 'call', 'weather', 'forecast', 'city=Oslo'];
  expect(await registry.run('npx', call, project)).toBe('Sunny in Oslo\n');
  expect(await npm('test')).toMatch(/pass 3\n.*fail 0/s);
});

it('npm create tenon takes the options of tenon init', async (context) => {
  requires(context, whyNoRegistry());
  await registry.run('npm', ['create', 'tenon', 'api', '--', '--template', 'hono']);
  const text = await readFile(join(registry.folder, 'api/package.json'), 'utf8');
  expect((JSON.parse(text) as Manifest).dependencies).toHaveProperty('hono');
});

it('npm create tenon names the options that npm did not pass on', async (context) => {
  requires(context, whyNoRegistry());
  for (const option of [['--template', 'hono'], ['--template=hono']]) {
    const created = registry.run('npm', ['create', 'tenon', 'lost', ...option]);
    await expect(created).rejects.toMatchObject({ stderr: expect.stringContaining('Write -- before options') });
  }
  expect(existsSync(join(registry.folder, 'lost'))).toBe(false);
});

it('npx tenon-migrate converts a server, with its own parser', async (context) => {
  requires(context, whyNoRegistry());
  const folder = await emptyProject('official');
  await mkdir(join(folder, 'src'));
  const text = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const server = new McpServer({ name: 'a', version: '1' });
server.tool('a', () => 1);
`;
  await writeFile(join(folder, 'src/index.ts'), text);
  const command = commandIn('packages/tenon-migrate/README.md');
  expect(await registry.run('sh', ['-c', command], folder)).toContain('1 tool converted in 1 file:\n  src/index.ts\n');
  expect(await readFile(join(folder, 'src/index.ts'), 'utf8')).toContain('draft.tools.a = ');
});

it('npm install tenon zod takes less than 20 MB', async (context) => {
  requires(context, whyNoRegistry());
  const folder = await emptyProject('installed');
  await registry.run('npm', ['install', 'tenon', 'zod'], folder);
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map(({ parentPath, name }) => statSync(join(parentPath, name)));
  // On a disk with blocks of 4 KiB, as `du` counts.
  const bytes = sizes.reduce((total, { size }) => total + Math.ceil(size / 4096) * 4096, 0);
  expect(bytes).toBeLessThan(20_000_000);
  await context.annotate(`installed with zod: ${(bytes / 1e6).toFixed(1)} MB in ${sizes.length} files`, 'figure');
});
