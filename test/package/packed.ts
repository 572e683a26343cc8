/** The package as it would be published: built, packed, and installed where a program can import it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'tsdown';
import config from '../../tsdown.config.ts';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';

const run = promisify(execFile);

/** Creates a project with `tenon` installed from its tarball, and the packages that `tenon` and the test need. */
export async function installPacked(
  ...others: readonly string[]
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-packed-'));
  const source = join(folder, 'source');
  await build({ ...config, config: false, cwd: root, outDir: join(source, 'dist'), copy: [], logLevel: 'silent' });
  for (const file of ['package.json', 'README.md', 'LICENSE']) {
    await cp(join(root, file), join(source, file), { recursive: true });
  }
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
  const installed = join(folder, 'node_modules/tenon');
  await mkdir(installed, { recursive: true });
  await run('sh', ['-c', `tar -xzf "${folder}"/tenon-*.tgz --strip-components=1 -C "${installed}"`]);
  for (const name of [...dependencies, ...others]) await link(name, folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function link(name: string, folder: string): Promise<void> {
  const path = join(folder, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(root, 'node_modules', name), path);
}
