/** The folders of src keep to their layers, and every rule that says so can fail. */
import { describe, expect, it } from 'vitest';
import { cyclesIn } from './cycles.ts';
import {
  layerBreaks,
  mayImport,
  ownBarrelImports,
  strayImports,
  strayNodeImports,
  unlistedFolders,
  unlistedPackages,
} from './import-rules.ts';
import { readSource, readTree } from './source-tree.ts';

const tree = readTree('src');
const files = (sources: Record<string, string>) =>
  Object.entries(sources).map(([path, text]) => readSource(path, text));

describe('src', () => {
  it.each([
    ['has every folder in the layer table', unlistedFolders],
    ['imports downward only', layerBreaks],
    ['imports its own files by relative path and nothing outside src', strayImports],
    ['never imports an index from inside its folder', ownBarrelImports],
    ['imports only the packages the table lists', unlistedPackages],
    ['uses Node modules only in the Node folders', strayNodeImports],
    ['has no circle of imports', cyclesIn],
  ])('%s', (_, rule) => {
    expect(tree.length).toBeGreaterThan(0);
    expect(rule(tree)).toEqual([]);
  });

  it('has no export * except of what runs anywhere in an entry point of Node, and keeps every index.ts to re-exports', () => {
    const all = tree.filter((file) => file.exportsAll).map((file) => file.path);
    expect(all.filter((path) => !/^src\/node\/(index|entries\/.+)\.ts$/.test(path))).toEqual([]);
    const indexes = tree.filter((file) => file.path.endsWith('/index.ts'));
    expect(indexes.filter((file) => !file.onlyReexports).map((file) => file.path)).toEqual([]);
  });
});

describe('the layer table', () => {
  it.each([
    ['transport', 'jsonrpc', true],
    ['jsonrpc', 'transport', false],
    ['schema', 'transport', false],
    ['protocol', 'store', true],
    ['store', 'protocol', false],
    ['server', 'client', false],
    ['client', 'server', false],
    ['json-schema', 'schema', true],
    ['json-schema', 'protocol', false],
    ['host', 'client', true],
    ['host', 'auth', false],
    ['inspector', 'host', true],
    ['cli', 'inspector', true],
    ['inspector', 'cli', false],
    ['server', 'unheard-of', false],
  ])('%s may import %s: %s', (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });
});

describe('the rules', () => {
  it.each([
    ["import { a } from '../server/a.ts';", 'a value import'],
    ["import type { A } from '../server/a.ts';", 'a type import'],
    ["export { a } from '../server/a.ts';", 'a re-export'],
    ["const a = await import('../server/a.ts');", 'a dynamic import'],
    ["let a: import('../server/a.ts').A;", 'an import in a type'],
  ])('see %s, %s, that climbs', (text) => {
    expect(layerBreaks(files({ 'src/client/a.ts': text }))).toHaveLength(1);
    expect(layerBreaks(files({ 'src/inspector/a.ts': text }))).toEqual([]);
  });

  it('let src/index.ts import every folder', () => {
    expect(layerBreaks(files({ 'src/index.ts': "export { a } from './cli/a.ts';" }))).toEqual([]);
  });

  it('see a folder without a tier and a stray file beside src/index.ts', () => {
    expect(unlistedFolders(files({ 'src/attic/a.ts': '', 'src/more.ts': '', 'src/index.ts': '' }))).toHaveLength(2);
  });

  it('see imports that leave src or name this package', () => {
    const text = "import '../../test/a.ts'; import 'tenon'; import 'tenon/server'; import '../../../x.ts';";
    expect(strayImports(files({ 'src/server/a.ts': text }))).toHaveLength(4);
  });

  it('see an index imported from its own folder or from deeper inside, and not from outside', () => {
    const text = "import { a } from '../server/index.ts';";
    expect(ownBarrelImports(files({ 'src/server/a.ts': text }))).toHaveLength(1);
    expect(
      ownBarrelImports(files({ 'src/server/b/c.ts': "import '../index.ts'; import '../../index.ts';" })),
    ).toHaveLength(2);
    expect(ownBarrelImports(files({ 'src/inspector/a.ts': text }))).toEqual([]);
  });

  it('see packages and Node modules where they are not allowed', () => {
    const text = "import 'zod'; import '@scope/name/part'; import 'node:fs'; import 'fs';";
    expect(unlistedPackages(files({ 'src/server/a.ts': text }))).toHaveLength(2);
    expect(strayNodeImports(files({ 'src/server/a.ts': text }))).toHaveLength(2);
    expect(strayNodeImports(files({ 'src/node/a.ts': text }))).toEqual([]);
    const parser = "import { createParser } from 'eventsource-parser';";
    expect(unlistedPackages(files({ 'src/transport/sse.ts': parser }))).toEqual([]);
    expect(unlistedPackages(files({ 'src/transport/lines.ts': parser }))).toHaveLength(1);
    expect(unlistedPackages(files({ 'src/json-schema/a.ts': "import 'typebox/schema';" }))).toEqual([]);
  });

  it('see circles of two and three files, through types too', () => {
    const circle = files({
      'src/server/a.ts': "import type { B } from './b.ts';",
      'src/server/b.ts': "import type { C } from './c.ts';",
      'src/server/c.ts': "const a = () => import('./a.ts');",
      'src/server/d.ts': "import './a.ts'; import './b.ts';",
    });
    expect(cyclesIn(circle)).toEqual(['src/server/a.ts -> src/server/b.ts -> src/server/c.ts -> src/server/a.ts']);
    expect(cyclesIn(circle.slice(1))).toEqual([]);
  });

  it('see export * in both forms and an index with code in it', () => {
    const [all, named, code, good] = files({
      'src/a/index.ts': "export * from './x.ts';",
      'src/b/index.ts': "export * as x from './x.ts';",
      'src/c/index.ts': "import { x } from './x.ts'; export { x };",
      'src/d/index.ts': "export { x, type Y } from './x.ts';",
    });
    expect([all?.exportsAll, named?.exportsAll, code?.exportsAll, good?.exportsAll]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([code?.onlyReexports, good?.onlyReexports]).toEqual([false, true]);
  });
});
