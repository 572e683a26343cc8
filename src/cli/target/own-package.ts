/** The package of this program: where it is, and how a new project depends on the same one. */
import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

const manifestPath = (): string => createRequire(import.meta.url).resolve('tenon/package.json');

export const packageRoot = (): string => dirname(manifestPath());

/**
 * What the project has as its dependency: the published version. Until there is one, the tarball that this program was
 * installed from, which is copied into the project; without one, the folder of this program.
 */
export async function ownDependency(project: string, root = packageRoot()): Promise<string> {
  const { version, private: isUnpublished } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly private?: boolean;
  };
  if (isUnpublished !== true) return `^${version}`;
  const tarball = await tarballOf(root);
  if (tarball === undefined) return `file:${root}`;
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
