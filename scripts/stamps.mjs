/** Stamps: files with the hash of the sources that something was built from. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { inRoot } from './command.mjs';

/** A hash of the files under the paths, without generated and built ones. */
export function hashOf(paths, counts = () => true) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder).filter(counts).sort()) {
    hash.update(`${file}\0`).update(readFileSync(inRoot(file)));
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  if (!existsSync(inRoot(path))) return [];
  if (statSync(inRoot(path)).isFile()) return [path];
  return readdirSync(inRoot(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(inRoot('').length))
    .filter((file) => !file.split(sep).some((name) => made.has(name)));
}

/** Folders of files that are not in a fresh clone. */
const made = new Set(['generated', 'dist']);

export const isStamped = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

export function putStamp(stamp, hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}
