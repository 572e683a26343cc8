/** The SQLite file of `DEMO_DATABASE`, checked before it is opened: SQLite creates an empty file for a mistyped name. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { env } from 'node:process';

/** `undefined` for the sample database. */
export const databaseFile: string | undefined = env.DEMO_DATABASE || undefined;

/** What is wrong with the file now and how to fix it, or `undefined`. */
export function fileProblem(file = databaseFile): string | undefined {
  const wrong = file === undefined ? undefined : wrongWith(file);
  if (file === undefined || wrong === undefined) return undefined;
  return `DEMO_DATABASE names ${resolve(file)}, ${wrong}: name an SQLite file, or unset DEMO_DATABASE to use the sample`;
}

function wrongWith(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return 'which is not a file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'which does not exist' : `which cannot be read (${code ?? message})`;
  }
}
