/** A project that the packed package writes is typed, passes its tests, and its tool can be called. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';
import { type EmptyFolder, packInto } from './new-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

/** As npm installs them, without asking a registry. */
async function install(project: string, ...others: readonly string[]): Promise<string> {
  const modules = join(empty.folder, project, 'node_modules');
  const own = join(modules, 'tenon');
  await mkdir(own, { recursive: true });
  await empty.run('tar', ['-xzf', empty.tarball, '--strip-components=1', '-C', own]);
  const resolved = { 'node_modules/tenon': { resolved: `file:../${empty.tarball}` } };
  await writeFile(join(modules, '.package-lock.json'), JSON.stringify({ packages: resolved }));
  for (const name of [...dependencies, ...others]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return join(own, 'dist/cli.js');
}

it('from an empty folder, init leads to a called tool [S31]', async () => {
  const node = process.execPath;
  await empty.run(node, [await install('npx'), 'init', 'weather']);
  const project = join(empty.folder, 'weather');
  expect(JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))).toMatchObject({
    dependencies: { tenon: `file:${empty.tarball}` },
  });
  const cli = await install('weather', 'zod', 'tsx', '@types/node', 'undici-types');
  const [types, tests, called] = await Promise.all([
    empty.run(node, [join(root, 'node_modules/ts7/bin/tsc'), '--noEmit'], project),
    empty.run('npm', ['test'], project),
    empty.run(node, [cli, 'call', 'weather', 'forecast', 'city=Oslo'], project),
  ]);
  expect(types).toBe('');
  expect(tests).toMatch(/pass 3\n.*fail 0/s);
  expect(called).toBe('Sunny in Oslo\n');
});
