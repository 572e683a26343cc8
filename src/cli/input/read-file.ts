/** Reads a file that was named on the command line. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** `hint` says which file to pass. */
export async function readTextFile(path: string, { cwd }: Pick<Io, 'cwd'>, hint: string): Promise<string> {
  const file = resolve(cwd, path);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageError(code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}.`, hint);
  }
}
