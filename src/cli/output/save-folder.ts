/** The folder of `--save`: it is checked before a call, whose result would be lost otherwise. */
import { constants } from 'node:fs';
import { access, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { Given } from '../io/given.ts';
import { usageError } from '../usage-error.ts';

/** Throws if nothing can be written to the folder. One that does not exist is created by the first file. */
export async function checkSaveFolder(given: Given): Promise<void> {
  const folder = given.text('save');
  if (folder === undefined) return;
  const path = resolve(given.io.cwd, folder);
  const problem = await problemOf(path);
  if (problem !== undefined)
    throw usageError(`Nothing can be saved to ${path}: ${problem}.`, 'Name a folder that you can write to.');
}

async function problemOf(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is not a folder`;
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) return problemOf(dirname(path));
    return code === 'ENOTDIR' ? 'a part of the path is not a folder' : `${code}`;
  }
}

/** Writes a new file, and returns its path: a number is added to a name that exists. */
export async function saveFile(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true });
  const extension = extname(name);
  for (let copy = 1; ; copy++) {
    const path = join(folder, copy === 1 ? name : `${name.slice(0, -extension.length)}-${copy}${extension}`);
    try {
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
