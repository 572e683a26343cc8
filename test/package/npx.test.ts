/** With npm and its registry: `npx` writes a project from the tarball, which installs and answers a call. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmptyFolder, packInto } from './new-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

it('npx --package ./tenon-*.tgz tenon init leads to a called tool [S31]', async () => {
  await empty.run('npx', ['--yes', '--package', `./${empty.tarball}`, 'tenon', 'init', 'weather']);
  const project = join(empty.folder, 'weather');
  await empty.run('npm', ['install', '--no-audit', '--no-fund'], project);
  await empty.run('npm', ['run', 'build'], project);
  expect(await empty.run('npm', ['test'], project)).toMatch(/pass 3\n.*fail 0/s);
  expect(await empty.run('npx', ['tenon', 'call', 'weather', 'forecast', 'city=Oslo'], project)).toBe(
    'Sunny in Oslo\n',
  );
});
