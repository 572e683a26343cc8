/** Writes a file that was named on the command line. */
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

export async function writeTextFile(path: string, text: string, { cwd }: Pick<Io, 'cwd'>): Promise<void> {
  const file = resolve(cwd, path);
  try {
    await writeFile(file, text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw usageError(`There is no folder ${dirname(file)}.`, 'Create it first.');
    throw usageError(`${file} cannot be written: ${message}.`, 'Name a file that you can write.');
  }
}
