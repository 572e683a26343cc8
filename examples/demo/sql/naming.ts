/** The SQLite file that `DEMO_DATABASE` names, and what is wrong with it: SQLite makes an empty one of a name that was mistyped. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { env } from 'node:process';

/** `undefined` where the sample is to be asked. */
export const databaseFile: string | undefined = env.DEMO_DATABASE || undefined;

/** What is wrong with it now, and what to do; `undefined` where nothing is. */
export function fileProblem(file = databaseFile): string | undefined {
  const wrong = file === undefined ? undefined : wrongWith(file);
  if (file === undefined || wrong === undefined) return undefined;
  return `DEMO_DATABASE names ${resolve(file)}, ${wrong}: name an SQLite file, or leave it out to ask the sample`;
}

function wrongWith(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return 'which is not a file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'which is not there' : `which cannot be read (${code ?? message})`;
  }
}
