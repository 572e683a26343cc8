/** The files of a project that go into its bundle besides the program: those that `tenon.bundle.files` names, and nothing private. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { invalidPackage } from './problems.ts';

/**
 * Bytes of all files of a bundle, before they are compressed.
 * @limit command line
 * @beyond nothing is written
 * @code package-too-large
 */
export const maxBundleBytes = 100 * 1024 * 1024;

/**
 * Files of a bundle.
 * @limit command line
 * @beyond nothing is written
 * @code package-too-large
 */
const maxBundleFiles = 5000;

export interface ChosenFiles {
  readonly files: Map<string, Uint8Array>;
  /** Paths in the named folders that no bundle has. */
  readonly leftOut: readonly string[];
}

/** Settings of a machine, keys, and what is installed. */
const isPrivate = (name: string): boolean =>
  name.startsWith('.') ||
  name === 'node_modules' ||
  /\.(?:pem|key|p12|pfx|mcpb|tgz|log)$/i.test(name) ||
  /^id_[a-z\d]+$/.test(name);

export async function chooseFiles(folder: string, named: readonly string[]): Promise<ChosenFiles> {
  const files = new Map<string, Uint8Array>();
  const leftOut: string[] = [];
  let bytes = 0;

  async function add(path: string): Promise<void> {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    if (found === undefined) throw invalidPackage([`tenon.bundle.files names ${path}, which is not there.`]);
    if (found.isSymbolicLink())
      throw invalidPackage([`${path} is a symbolic link: a bundle has the files of its project only. Copy the file.`]);
    if (found.isDirectory()) return addAll(path);
    if (!found.isFile()) throw invalidPackage([`${path} is no file.`]);
    bytes += found.size;
    refuseLarge(bytes, files.size + 1);
    files.set(path, await readFile(join(folder, path)));
  }

  async function addAll(path: string): Promise<void> {
    for (const name of (await readdir(join(folder, path))).sort())
      if (isPrivate(name)) leftOut.push(`${path}/${name}`);
      else await add(`${path}/${name}`);
  }

  for (const path of named) {
    const hidden = path.split('/').find(isPrivate);
    if (path === '' || path === '.' || hidden !== undefined)
      throw invalidPackage([
        `tenon.bundle.files names ${path || '.'}: name folders with what the program reads, nothing private.`,
      ]);
    await refuseLinkedParents(folder, path);
    await add(path);
  }
  return { files, leftOut };
}

/** A folder on the way to a named file may be a symbolic link, too. */
async function refuseLinkedParents(folder: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const parent = parts.slice(0, count).join('/');
    const found = await lstat(join(folder, parent)).catch(() => undefined);
    if (found?.isSymbolicLink() === true) throw invalidPackage([`${parent} is a symbolic link. Copy the folder.`]);
  }
}

export function refuseLarge(bytes: number, count: number): void {
  if (bytes > maxBundleBytes)
    throw new TenonError('package-too-large', `The files of the bundle have ${bytes} bytes or more.`, {
      hint: `A bundle has at most ${maxBundleBytes}. Name fewer files in tenon.bundle.files.`,
      details: { bytes, maxBytes: maxBundleBytes },
    });
  if (count > maxBundleFiles)
    throw new TenonError('package-too-large', `The bundle has more than ${maxBundleFiles} files.`, {
      hint: 'Name fewer files in tenon.bundle.files.',
      details: { maxFiles: maxBundleFiles },
    });
}
