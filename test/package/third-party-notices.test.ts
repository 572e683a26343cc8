/** Packages that the build inlines are named in THIRD-PARTY-NOTICES, with version and licence: audits of dependencies do not see them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { bundle } from './bundle.ts';
import { presentEntries } from './entries.ts';

const file = 'THIRD-PARTY-NOTICES';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly homepage?: string;
  readonly files?: readonly string[];
}
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json'))) as Manifest;

/** The packages with code in the bundle of any entry point. */
async function inlinedPackages(): Promise<string[]> {
  const found = new Set<string>();
  // The program `tenon` and the page of the inspector are no entry points.
  for (const source of [
    ...presentEntries.map((entry) => entry.source),
    'src/cli/main.ts',
    'apps/inspector/src/main.ts',
  ])
    for (const path of (await bundle(source)).files) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (name !== undefined) found.add(name);
    }
  return [...found].sort();
}

function noticeOf(name: string): string {
  const folder = join('node_modules', name);
  const { version, license, homepage } = manifestOf(folder);
  const file = ['LICENSE', 'LICENSE.md', 'license'].find((one) => existsSync(join(root, folder, one))) ?? 'LICENSE';
  const text = read(join(folder, file)).trim();
  const address = homepage === undefined ? '' : `\n${homepage}`;
  return `${name} ${version} (${license})${address}\n\n${text}\n`;
}

it('THIRD-PARTY-NOTICES has the version and the licence of every package that the build inlines, and is packed', async () => {
  const names = await inlinedPackages();
  expect(names).toContain('eventsource-parser');
  const notices = [
    'Tenon includes code of these packages. The other packages it needs are its dependencies in package.json.\n',
    ...names.map(noticeOf),
  ].join(`\n${'-'.repeat(80)}\n\n`);
  if (process.env.UPDATE_PINS === '1' && !process.env.CI) writeFileSync(join(root, file), notices);
  const isCurrent = existsSync(join(root, file)) && read(file) === notices;
  expect(isCurrent, `Run UPDATE_PINS=1 npx vitest run test/package/third, and commit ${file}.`).toBe(true);
  expect(manifestOf('.').files).toContain(file);
});
