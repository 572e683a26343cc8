/** The project of a file: the nearest folder above it that has a package.json, else its own folder. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function projectFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) return dirname(path);
    folder = above;
  }
  return folder;
}
