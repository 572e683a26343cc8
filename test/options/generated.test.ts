/** The generated tables and pages are up to date, and the number of options that users can set is pinned. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateOptions } from '../../scripts/generate/options/generate.ts';
import { filesUnder, sourceTexts } from '../../scripts/generate/options/source-texts.ts';
import { root } from '../architecture/source-tree.ts';
import { pinned } from '../package/pins.ts';

const { files, rows, problems } = generateOptions(sourceTexts());

const text = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');

describe('Generated tables and pages', () => {
  it('have no problem in their tags', () => {
    expect(problems).toEqual([]);
  });

  it('are up to date with the interfaces: if not, run npm run generate', () => {
    expect([...files].filter(([path, now]) => text(path) !== now).map(([path]) => path)).toEqual([]);
  });

  it('have an interface each', () => {
    expect(filesUnder('src').filter((path) => path.endsWith('.table.ts') && !files.has(path))).toEqual([]);
  });

  it('are pages of under 30 kB', () => {
    const pages = filesUnder('docs/guide/limits').filter((path) => statSync(join(root, path)).size > 30_000);
    expect(pages).toEqual([]);
  });
});

it('the settable and fixed limits of each area are as many as pinned: UPDATE_PINS=1 npx vitest run test/options', () => {
  const counts: Record<string, { settable: number; fixed: number }> = {};
  for (const { area, isFixed } of rows) {
    const count = (counts[area] ??= { settable: 0, fixed: 0 });
    if (isFixed) count.fixed += 1;
    else count.settable += 1;
  }
  expect(counts).toEqual(pinned('../options/limits.json', counts));
});
