/** Reads the source files under a path and writes them back. Links below the path are not followed. */
import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Failure, SourceText } from './migrate.ts';

/** How many files one run reads. */
const maxFiles = 10_000;
/** The largest file that is read, in bytes; a larger one is hardly written by hand. */
const maxFileBytes = 2_000_000;

/** The bytes of all files that one run reads; their trees take about fifty times as much memory. */
const maxTotalBytes = 50_000_000;

const sources = /(?<!\.d)\.[cm]?[jt]sx?$/;
/** Folders whose files are installed or built. A path that is given may be one, but for `node_modules`. */
const notWritten = new Set(['node_modules', 'dist', 'build', 'coverage']);

/** A problem with a path of the command line; the message has the fix. */
export class PathProblem extends Error {}

export interface FoundFiles {
  readonly files: readonly SourceText[];
  readonly failures: readonly Failure[];
  /** How many links were left alone. */
  readonly links: number;
}

/** Reads all source files under some paths, which are relative to a folder. */
export async function readSources(paths: readonly string[], folder: string): Promise<FoundFiles> {
  const found = new Map<string, SourceText>();
  const failures: Failure[] = [];
  const links = { count: 0 };
  let total = 0;
  const from = await realpath(folder);
  for (const path of paths) {
    const root = await rootOf(path, folder);
    for (const file of await filesUnder(root, links, failures)) {
      if (found.size >= maxFiles) {
        throw new PathProblem(
          `${path} has more than ${maxFiles} source files. Name the folder of the server, such as src/.`,
        );
      }
      const text = await readSource(file, failures);
      total += text?.length ?? 0;
      if (total > maxTotalBytes)
        throw new PathProblem(
          `${path} has over ${maxTotalBytes} bytes of source files. Name the folder of the server, such as src/.`,
        );
      const name = shown(from, file);
      if (text !== undefined) found.set(name, { path: name, text });
    }
  }
  if (found.size === 0 && failures.length === 0) {
    throw new PathProblem(
      `No TypeScript or JavaScript files under ${paths.join(', ')}. Name the folder of the server, such as src/.`,
    );
  }
  return {
    files: [...found.values()],
    failures: failures.map((one) => ({ ...one, path: shown(from, one.path) })),
    links: links.count,
  };
}

/** The path as the report shows it: from the folder of the command, with forward slashes. */
const shown = (from: string, path: string): string => relative(from, path).split(sep).join('/') || '.';

async function rootOf(path: string, folder: string): Promise<string> {
  const root = await realpath(resolve(folder, path)).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code ?? error.message})`;
    throw new PathProblem(`${path} ${why}. Name a folder or a file, such as src/.`);
  });
  if (root.split(sep).includes('node_modules')) {
    throw new PathProblem(
      `${path} is inside node_modules: what npm installs is not converted. Copy it elsewhere first.`,
    );
  }
  return root;
}

/** The files under a path, sorted; links are counted and left alone. */
async function filesUnder(path: string, links: { count: number }, failures: Failure[]): Promise<string[]> {
  const stats = await lstat(path);
  if (stats.isFile()) return sources.test(path) ? [path] : [];
  if (!stats.isDirectory()) return [];
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    failures.push(unreadable(path, `the folder cannot be read (${error.code ?? error.message})`));
    return [];
  });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    if (entry.isSymbolicLink()) links.count++;
    else if (entry.isDirectory() && !notWritten.has(entry.name) && !entry.name.startsWith('.')) {
      files.push(...(await filesUnder(inside, links, failures)));
    } else if (entry.isFile() && sources.test(entry.name)) files.push(inside);
  }
  return files;
}

async function readSource(path: string, failures: Failure[]): Promise<string | undefined> {
  try {
    if ((await lstat(path)).size > maxFileBytes) {
      failures.push(unreadable(path, `the file has more than ${maxFileBytes} bytes`));
      return undefined;
    }
    const bytes = await readFile(path);
    // The mark at the beginning of a file stays with it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    failures.push(
      unreadable(path, code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'the file is not UTF-8' : (code ?? message)),
    );
    return undefined;
  }
}

const unreadable = (path: string, why: string): Failure => ({
  path,
  line: 1,
  column: 1,
  message: `not read: ${why}. It was left as it is.`,
});

/** Writes a file that was read, unless it has become a link. */
export async function writeSource({ path, text }: SourceText, folder: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(resolve(await realpath(folder), path), flags);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}
