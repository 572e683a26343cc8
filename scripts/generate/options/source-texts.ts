/** Reads the sources from the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Texts } from './sources.ts';

export const root: string = fileURLToPath(new URL('../../../', import.meta.url));

/** The files under a folder, as paths from the root. */
export const filesUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** The sources that may have tags. */
export const sourceTexts = (): Texts =>
  new Map(
    ['src', 'apps/inspector/src']
      .flatMap(filesUnder)
      .filter((path) => /\.tsx?$/.test(path) && !/\.(?:test|table)\.ts$|\/generated\//.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
