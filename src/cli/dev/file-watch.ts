/** Reports changes of files, and files that appear. Folders are watched: editors replace a file by another. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface FileWatch {
  add(path: string): void;
  close(): void;
}

/**
 * Folders that `dev` watches.
 * @limit command line
 * @beyond files of further ones are not watched, with a warning
 */
const maxFolders = 1000;

/** Editors write a file in several steps: changes within this time are one. */
const quietMs = 50;

export interface WatchEvents {
  onChange(): void;
  onWarning(text: string): void;
}

export function watchFiles({ onChange, onWarning }: WatchEvents): FileWatch {
  const folders = new Map<string, Set<string>>();
  const watchers: FSWatcher[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let isFull = false;

  function changed(names: ReadonlySet<string>, name: string | null): void {
    if (name !== null && !names.has(name)) return;
    clearTimeout(quiet);
    quiet = setTimeout(onChange, quietMs);
  }

  function namesIn(folder: string): Set<string> | undefined {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    if (folders.size === maxFolders) {
      if (!isFull) onWarning(`More than ${maxFolders} folders have files of the server: not all of them are watched.`);
      isFull = true;
      return undefined;
    }
    const names = new Set<string>();
    folders.set(folder, names);
    try {
      const watcher = watch(folder, (_event, name) => changed(names, name));
      watcher.on('error', (error) => onWarning(`${folder} is no longer watched: ${error.message}`));
      watchers.push(watcher);
    } catch (error) {
      onWarning(`${folder} cannot be watched: ${(error as Error).message}`);
    }
    return names;
  }

  return {
    add: (path) => void namesIn(dirname(path))?.add(basename(path)),
    close() {
      clearTimeout(quiet);
      for (const watcher of watchers) watcher.close();
    },
  };
}
