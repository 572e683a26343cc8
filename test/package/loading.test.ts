/** What a program that is not bundled loads: every file at the start is waited for. */
import { relative } from 'node:path';
import { build } from 'tsdown';
import { describe, expect, it } from 'vitest';
import config from '../../tsdown.config.ts';
import { root } from '../architecture/source-tree.ts';

const built = await build({
  ...config,
  config: false,
  cwd: root,
  dts: false,
  copy: [],
  clean: false,
  write: false,
  logLevel: 'silent',
});
const files = new Map(
  built.flatMap(({ chunks }) => chunks).flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk]] : [])),
);

/** The files that an entry loads before its own code runs, by name. */
function loadedBy(entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const name of found) for (const next of files.get(name)?.imports ?? []) if (files.has(next)) found.add(next);
  return [...found];
}

const sourcesIn = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => files.get(name)?.moduleIds ?? []).map((id) => relative(root, id));

describe('a server that imports tenon/stdio', () => {
  const loaded = loadedBy('stdio.js');
  const sources = sourcesIn(loaded);

  it('loads its serving and its kernel', () => {
    expect(sources).toContain('src/node/stdio-server/serve-stdio.ts');
    expect(sources).toContain('src/server/kernel/kernel.ts');
  });

  it('loads neither clients nor HTTP', () => {
    expect(sources.filter((source) => /^src\/(client|server\/http|node\/(connect|serve-http))/.test(source))).toEqual(
      [],
    );
  });

  it('does not load the explainer before something is wrong', () => {
    expect(sources.filter((source) => source === 'src/protocol/explain.ts')).toEqual([]);
  });

  it('leaves only to `import()` what shares no module with the rest: a bundler wraps whatever the two share', () => {
    const later = [...files.values()].filter(
      (file) => file.isDynamicEntry && loaded.some((name) => files.get(name)?.dynamicImports.includes(file.fileName)),
    );
    expect(later.map(({ fileName, imports }) => [fileName, imports])).toEqual([['parts/explain.js', []]]);
  });

  it('loads at most six files', () => {
    expect(loaded.length).toBeLessThanOrEqual(6);
  });
});

describe('all of tenon on Node', () => {
  it('loads at most ten files', () => {
    expect(loadedBy('node.js').length).toBeLessThanOrEqual(10);
  });
});
