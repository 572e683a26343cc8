/** Files that an unbundled program loads: each one loaded at the start delays it. */
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
  // It would change the declarations in `dist`.
  hooks: {},
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

  it('loads serveStdio and the kernel', () => {
    expect(sources).toContain('src/node/stdio-server/serve-stdio.ts');
    expect(sources).toContain('src/server/kernel/kernel.ts');
  });

  it('loads neither clients nor HTTP', () => {
    expect(sources.filter((source) => /^src\/(client|server\/http|node\/(connect|serve-http))/.test(source))).toEqual(
      [],
    );
  });

  it('loads the explanations of invalid values only when one is needed', () => {
    expect(sources.filter((source) => source === 'src/protocol/explain.ts')).toEqual([]);
  });

  it('loads by `import()` only files that share no module with the rest, since a bundler wraps shared modules', () => {
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
  it('loads at most eleven files', () => {
    expect(loadedBy('node.js').length).toBeLessThanOrEqual(11);
  });
});

describe('the command line', () => {
  it('loads no command, no client and no HTTP before it knows what was typed', () => {
    const sources = sourcesIn(loadedBy('cli.js'));
    expect(sources).toContain('src/cli/run.ts');
    expect(
      sources.filter((source) => /^src\/(client|server\/http|cli\/(commands|answers|keeper|target))\//.test(source)),
    ).toEqual([]);
  });
});
