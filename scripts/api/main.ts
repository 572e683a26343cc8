/** `npm run api`: writes the public API to `api/`, unless it lacks something whose removal CHANGELOG.md does not announce. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unannounced } from './changes.ts';
import { apiReports } from './report.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'api');
mkdirSync(folder, { recursive: true });
const reports = apiReports(root);
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const names = new Set([...reports.keys(), ...readdirSync(folder).map((file) => file.replace(/\.txt$/, ''))]);
const pathOf = (name: string): string => join(folder, `${name}.txt`);

const missing = [...names].flatMap((name) => {
  const before = existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : '';
  return unannounced(before, reports.get(name) ?? '', changelog).map((line) => `api/${name}.txt: ${line}`);
});

if (missing.length > 0) {
  console.error(`Removed or changed, and not under "Breaking" in CHANGELOG.md:\n${missing.join('\n')}`);
  process.exitCode = 1;
} else {
  for (const name of names) {
    const text = reports.get(name);
    if (text === undefined) rmSync(pathOf(name));
    else writeFileSync(pathOf(name), text);
  }
}
