/** Finds a program as Windows does: in the working folder first, and with the extensions of PATHEXT. */
import { fsModule, pathModule } from '../process/builtins.ts';

export interface Search {
  /** The places that were searched. */
  readonly places: readonly string[];
  readonly found: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Extensions that can always run, also without PATHEXT. */
const endings: readonly string[] = ['', '.COM', '.EXE', '.BAT', '.CMD'];

/** `lookAt` throws as `lstat` does. It does not follow links: access to the target of a Microsoft Store program is denied. */
export function searchOnWindows(
  command: string,
  cwd: string,
  env: Variables,
  lookAt: (path: string) => unknown = fsModule().lstatSync,
): Search {
  const { resolve } = pathModule().win32;
  const isPath = /[\\/:]/.test(command);
  const folders = isPath ? [] : listed(env, 'PATH').map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  const places = [...new Set([cwd, ...folders].map((folder) => resolve(cwd, folder, command)))];
  const all = [...endings, ...listed(env, 'PATHEXT'), ...listed(process.env, 'PATHEXT')];
  const candidates = places.flatMap((place) => all.map((ending) => place + ending));
  return { places, found: candidates.find((path) => !isAbsent(path, lookAt)) };
}

/** The parts of a variable, whose name may be written in any case. */
function listed(env: Variables, name: string): string[] {
  const key = Object.keys(env).findLast((each) => each.toUpperCase() === name);
  const text = key === undefined ? undefined : env[key];
  return (text ?? '').split(';').filter((part) => part !== '');
}

/** Only errors that show that a file does not exist: otherwise Windows may still find it. */
function isAbsent(path: string, lookAt: (path: string) => unknown): boolean {
  try {
    lookAt(path);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code));
  }
}
