/** The package of this program: where it is, and how a new project depends on the same one. */
import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

const manifestPath = (): string => createRequire(import.meta.url).resolve('tenon/package.json');

export const packageRoot = (): string => dirname(manifestPath());

/**
 * What the project has as its dependency: the version that this program has, if it was installed from a registry; the
 * tarball that it was installed from, which is copied into the project; in a checkout, its folder.
 */
export async function ownDependency(project: string, root = packageRoot()): Promise<string> {
  const tarball = await tarballOf(root);
  if (tarball === undefined) {
    if (basename(dirname(root)) !== 'node_modules') return `file:${root}`;
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    return `^${version}`;
  }
  const copy = join(project, basename(tarball));
  if (copy !== tarball) await copyFile(tarball, copy);
  return `file:${basename(tarball)}`;
}

/** npm writes beside the installed packages where each came from. */
async function tarballOf(root: string): Promise<string | undefined> {
  const modules = dirname(root);
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(text) as { readonly packages?: Record<string, { readonly resolved?: string }> };
  const from = packages['node_modules/tenon']?.resolved ?? '';
  if (!/^file:.*\.tgz$/.test(from)) return undefined;
  const path = resolve(dirname(modules), decodeURI(from.slice('file:'.length)));
  return existsSync(path) ? path : undefined;
}
