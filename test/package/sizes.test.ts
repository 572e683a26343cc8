/** Each entry point stays within its size budget and includes no code of other layers. */
import { describe, expect, it } from 'vitest';
import { folderOf, mayImport } from '../architecture/import-rules.ts';
import { roots } from '../architecture/layers.ts';
import { budgetErrors } from './budgets.ts';
import { type Bundle, bundle } from './bundle.ts';
import { presentEntries } from './entries.ts';
import { pinned } from './pins.ts';

const bundles = new Map<string, Bundle>();
for (const { name, source } of presentEntries) bundles.set(name, await bundle(source));

const sizes = Object.fromEntries([...bundles].map(([name, { gzipBytes }]) => [name, gzipBytes]));

/** Files that the entry point's folder may not import; src/index.ts may include everything. */
function foreignFiles(source: string, files: readonly string[]): string[] {
  if (roots.includes(source)) return [];
  return files.filter((file) => file.startsWith('src/') && !mayImport(folderOf(source), folderOf(file)));
}

describe('the bundle of each entry point', () => {
  it('stays within its budget in sizes.json', () => {
    expect(budgetErrors(sizes, pinned('sizes.json', sizes), 'bytes gzipped')).toEqual([]);
  });

  it('includes only code of its own layers: no server in a client, no client in a server', () => {
    const foreign = presentEntries.flatMap(({ name, source }) =>
      foreignFiles(source, bundles.get(name)?.files ?? []).map((file) => `${name} includes ${file}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('the budget rule', () => {
  it.each([
    [103, []],
    [85, []],
    [104, ['a has 104 bytes gzipped, over its 100']],
    [84, ['a has 84 bytes gzipped, far under its 100: tighten it']],
  ])('checks %i bytes against a budget of 100', (size, errors) => {
    expect(budgetErrors({ a: size }, { a: 100 }, 'bytes gzipped')).toEqual(errors);
  });

  it('detects an entry without a budget and a budget without an entry', () => {
    expect(budgetErrors({ a: 1 }, { b: 1 }, 'bytes')).toHaveLength(2);
  });
});

describe('the layer rule', () => {
  it('detects server code in a client and client code in a server, and allows both in the root', () => {
    const files = ['src/client/a.ts', 'src/server/b.ts', 'src/jsonrpc/c.ts', 'node_modules/eventsource-parser/d.js'];
    expect(foreignFiles('src/client/index.ts', files)).toEqual(['src/server/b.ts']);
    expect(foreignFiles('src/server/index.ts', files)).toEqual(['src/client/a.ts']);
    expect(foreignFiles('src/index.ts', files)).toEqual([]);
  });
});
