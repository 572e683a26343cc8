/** A folder whose files can be opened by untrusted paths: nothing outside it is reached, not even by a link or a race. */
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { wrong } from '../../lib/options/option-rules.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { listFiles } from './list-files.ts';
import { type OpenedFile, openInside } from './open-inside.ts';
import { pathRootOptions } from './options.table.ts';
import type { PathRootOptions } from './options.ts';
import { pathSegments } from './path-segments.ts';

/** A folder whose files can be opened by untrusted paths. */
export interface PathRoot {
  /**
   * Opens a file for reading, by its path from the root or by a `file:` URI. Links are followed as long as they stay inside.
   * Throws `path-not-allowed` or `file-not-found`. Close the file, or declare it with `await using`.
   */
  open(path: string): Promise<OpenedFile>;
  /** The bytes of a file. Throws as `open` does, and `file-too-large`. */
  read(path: string): Promise<Uint8Array>;
  /** The paths of the files in the root, sorted, with `/` between names. Links are left out. */
  list(): Promise<string[]>;
}

/**
 * Creates a root from an existing folder. Links in the path of the folder itself are resolved once, here.
 *
 * @example
 * ```ts
 * const root = createPathRoot('/srv/reports');
 * const bytes = await root.read('2026/week.csv');
 * ```
 */
export function createPathRoot(folder: string, options: PathRootOptions = {}): PathRoot {
  const { hidden, maxFileBytes, maxPathChars, maxListed } = readOptions('createPathRoot()', pathRootOptions, options);
  const root = realFolder(folder);
  // A `file:` URI may name the folder as the author wrote it, or as it is after its links.
  const spellings = [root, resolve(folder)];
  const open = async (path: string): Promise<OpenedFile> =>
    openInside(path, pathSegments(path, spellings, maxPathChars), { root, hidden, maxFileBytes });
  return {
    open,
    async read(path) {
      await using file = await open(path);
      return await file.read();
    },
    list: () => listFiles(root, { hidden, maxListed }),
  };
}

function realFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync.native(folder);
  } catch {
    // Reported below, whatever the reason.
  }
  throw wrong('createPathRoot()', 'folder', 'be the path of an existing folder');
}
