/** Each entry point keeps to its size and draws in no folder it should not. */
import { describe, expect, it } from 'vitest';
import { folderOf, mayImport } from '../architecture/import-rules.ts';
import { roots } from '../architecture/layers.ts';
import { type Bundle, bundle } from './bundle.ts';
import { presentEntries } from './entries.ts';
import { pinned } from './pins.ts';

const bundles = new Map<string, Bundle>();
for (const { name, source } of presentEntries) bundles.set(name, await bundle(source));

const sizes = Object.fromEntries([...bundles].map(([name, { gzipBytes }]) => [name, gzipBytes]));

/** More than 3 % over is growth; more than 15 % under means that the budget has become loose. */
function budgetBreaks(now: Record<string, number>, budgets: Record<string, number>): string[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(budgets)])];
  return names.flatMap((name) => {
    const [size, budget] = [now[name], budgets[name]];
    if (size === undefined) return [`${name} has a budget and no source: take it out`];
    if (budget === undefined) return [`${name} has no budget: it has ${size} bytes gzipped`];
    if (size > budget * 1.03) return [`${name} has ${size} bytes gzipped, over its ${budget}`];
    return size < budget * 0.85 ? [`${name} has ${size} bytes gzipped, far under its ${budget}: tighten it`] : [];
  });
}

/** Files of folders that the entry point's own folder may not import; src/index.ts may hold everything. */
function strangers(source: string, files: readonly string[]): string[] {
  if (roots.includes(source)) return [];
  return files.filter((file) => file.startsWith('src/') && !mayImport(folderOf(source), folderOf(file)));
}

describe('the bundle of each entry point', () => {
  it('keeps to its budget in sizes.json', () => {
    expect(budgetBreaks(sizes, pinned('sizes.json', sizes))).toEqual([]);
  });

  it('holds code of its own layers alone: no server in a client, no client in a server', () => {
    const bled = presentEntries.flatMap(({ name, source }) =>
      strangers(source, bundles.get(name)?.files ?? []).map((file) => `${name} holds ${file}`),
    );
    expect(bled).toEqual([]);
  });
});

describe('the budget rule', () => {
  it.each([
    [103, []],
    [85, []],
    [104, ['a has 104 bytes gzipped, over its 100']],
    [84, ['a has 84 bytes gzipped, far under its 100: tighten it']],
  ])('judges %i bytes against a budget of 100', (size, complaints) => {
    expect(budgetBreaks({ a: size }, { a: 100 })).toEqual(complaints);
  });

  it('sees an entry without a budget and a budget without an entry', () => {
    expect(budgetBreaks({ a: 1 }, { b: 1 })).toHaveLength(2);
  });
});

describe('the bleed rule', () => {
  it('sees server code in a client, client code in a server, and neither in the root', () => {
    const files = ['src/client/a.ts', 'src/server/b.ts', 'src/jsonrpc/c.ts', 'node_modules/eventsource-parser/d.js'];
    expect(strangers('src/client/index.ts', files)).toEqual(['src/server/b.ts']);
    expect(strangers('src/server/index.ts', files)).toEqual(['src/client/a.ts']);
    expect(strangers('src/index.ts', files)).toEqual([]);
  });
});
