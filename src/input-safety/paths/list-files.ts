/** Lists the files below a root, bounded in number and depth. */
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export interface ListRules {
  readonly hidden: boolean;
  readonly maxListed: number;
}

/**
 * Levels of folders that `list` visits.
 * @limit input safety
 * @beyond deeper files are left out
 */
const maxDepth = 64;

/** Sorted paths with `/` between names. Links are left out: they could lead in circles. */
export async function listFiles(root: string, { hidden, maxListed }: ListRules): Promise<string[]> {
  const paths: string[] = [];
  const walk = async (names: readonly string[]): Promise<void> => {
    const folder = join(root, ...names);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    // A link swapped in for the folder would list another one.
    if ((await realpath(folder).catch(() => undefined)) !== folder) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (paths.length >= maxListed) return;
      if (!hidden && entry.name.startsWith('.')) continue;
      const path = [...names, entry.name];
      if (entry.isFile()) paths.push(path.join('/'));
      else if (entry.isDirectory() && path.length < maxDepth) await walk(path);
    }
  };
  await walk([]);
  return paths.sort();
}
