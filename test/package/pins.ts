/** Golden files: read to compare, rewritten only when UPDATE_PINS is set outside CI. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Returns the pinned value; with UPDATE_PINS=1 it first pins the current one. */
export function pinned<T>(file: string, current: T): T {
  const path = new URL(file, import.meta.url);
  if (process.env['UPDATE_PINS'] === '1' && !process.env['CI']) {
    writeFileSync(path, `${JSON.stringify(current, null, 2)}\n`);
  }
  if (!existsSync(path))
    throw new Error(`test/package/${file} is missing: create it with UPDATE_PINS=1 npx vitest run test/package`);
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
