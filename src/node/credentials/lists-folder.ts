/** Lists of servers in files that only this user can read, so that hosts show them without starting the servers. */

import type { ListStore } from '../../host/stored-lists/list-store.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { filesModule, osModule, pathModule, pathsOf } from '../process/builtins.ts';
import { listsFolderOptions } from './lists-options.table.ts';
import type { ListsFolderOptions } from './lists-options.ts';
import {
  deleteLeftovers,
  deletePrivateFile,
  openPrivateFolder,
  readPrivateFile,
  replacePrivateFile,
} from './private-folder.ts';

const ending = '.json';
const keyForm = /^[\da-f]{64}$/;

/**
 * Stores lists of servers in files: one for each server, in a folder that only this user can read and write. It is a cache:
 * it may be deleted at any time.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, consent, lists: 'stored', listStore: listsFolder({ folder: '.cache/mcp' }) });
 * ```
 */
export function listsFolder(options: ListsFolderOptions = {}): ListStore {
  const otherNames = { path: 'folder', directory: 'folder' };
  const settings = readOptions('listsFolder()', listsFolderOptions, options, otherNames);
  const folder = pathModule().resolve(settings.folder ?? cacheFolder());
  let opening: Promise<void> | undefined;

  async function pathOf(key: string): Promise<string> {
    // A key becomes the name of a file.
    if (!keyForm.test(key))
      throw new TenonError('invalid-argument', 'The key of a stored list must be a SHA-256 in hexadecimal.');
    opening ??= openPrivateFolder(folder).then(() => deleteLeftovers(folder));
    await opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return pathModule().join(folder, `${key}${ending}`);
  }

  /** Deletes those that were written first. Another process may have deleted them already. */
  async function makeRoom(): Promise<void> {
    const names = (await filesModule().readdir(folder)).filter((name) => name.endsWith(ending));
    if (names.length <= settings.maxEntries) return;
    const ages = await Promise.all(
      names.map(async (name) => {
        const path = pathModule().join(folder, name);
        const stats = await filesModule()
          .stat(path)
          .catch(() => undefined);
        return { path, at: stats?.mtimeMs ?? 0 };
      }),
    );
    const oldest = ages.sort((one, other) => one.at - other.at).slice(0, names.length - settings.maxEntries);
    await Promise.all(oldest.map(({ path }) => deletePrivateFile(path)));
  }

  return {
    read: async (key) => readPrivateFile(await pathOf(key)),
    async write(key, text) {
      const path = await pathOf(key);
      if (text === undefined) return deletePrivateFile(path);
      await replacePrivateFile(path, text);
      await makeRoom();
    },
  };
}

/** Where programs of the user may store what can be made again. */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform = process.platform,
): string {
  const { join } = pathsOf(platform);
  const home = env.HOME || osModule().homedir();
  const caches: Partial<Record<NodeJS.Platform, string>> = {
    win32: env.LOCALAPPDATA || join(home, 'AppData', 'Local'),
    darwin: join(home, 'Library', 'Caches'),
  };
  return join(env.XDG_CACHE_HOME || (caches[platform] ?? join(home, '.cache')), 'tenon', 'lists');
}
