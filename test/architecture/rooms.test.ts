/** The rooms of src and apps stay small and keep to their tiers, and every rule that says so can fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crowdedFolders, loneFiles, sparseFolders, unlistedRooms, upwardImports } from './room-rules.ts';
import { rooms } from './rooms.ts';
import { readSource, readTree, root } from './source-tree.ts';

const tree = [...readTree('src'), ...readTree('apps')].filter(
  ({ path }) => !path.startsWith('src/protocol/generated/'),
);
const files = (sources: Record<string, string>) =>
  Object.entries(sources).map(([path, text]) => readSource(path, text));

describe('src and apps', () => {
  it.each([
    ['has every room in the table', unlistedRooms],
    ['has no import from a room to one that is not below it', upwardImports],
    ['has at most 24 files in a folder', crowdedFolders],
    ['has no folder with under 4 entries but those listed with a reason', sparseFolders],
    ['has no small file that only one file beside it uses', loneFiles],
  ])('%s', (_, rule) => {
    expect(tree.length).toBeGreaterThan(0);
    expect(rule(tree)).toEqual([]);
  });
});

describe('the rules', () => {
  it('see an import to a room above or beside, types included, and not one to a room below', () => {
    const up = "import type { A } from '../http/endpoint.ts';";
    expect(upwardImports(files({ 'src/server/kernel/a.ts': up }))).toHaveLength(1);
    const beside = "import { a } from '../child/a.ts';";
    expect(upwardImports(files({ 'src/node/http-server/a.ts': beside }))).toHaveLength(1);
    expect(upwardImports(files({ 'src/server/http/a.ts': "import '../kernel/a.ts';" }))).toEqual([]);
    expect(upwardImports(files({ 'src/server/http/post.ts': "import './endpoint.ts';" }))).toHaveLength(1);
  });

  it('see an import that is loaded later', () => {
    const up = "const load = () => import('../commands/use/call.ts');";
    expect(upwardImports(files({ 'src/cli/answers/a.ts': up }))).toHaveLength(1);
    expect(upwardImports(files({ 'src/cli/manifest/a.ts': up }))).toEqual([]);
  });

  it('see a room without a tier, and a tier without a room', () => {
    const [folder, tiers] = Object.entries(rooms)[0] as [string, readonly (readonly string[])[]];
    const all = tiers.flat().map((entry) => readSource(`${folder}/${entry}.ts`, ''));
    const others = Object.entries(rooms).slice(1);
    const rest = others.flatMap(([at, each]) => each.flat().map((entry) => readSource(`${at}/${entry}.ts`, '')));
    expect(unlistedRooms([...all, ...rest])).toEqual([]);
    expect(unlistedRooms([...all, ...rest, readSource(`${folder}/attic/a.ts`, '')])).toHaveLength(1);
    expect(unlistedRooms([...all.slice(1), ...rest])).toHaveLength(1);
  });

  it('see a folder with a twenty-fifth file', () => {
    const paths = Array.from({ length: 24 }, (_, n) => ({ path: `src/server/kernel/f${n}.ts` }));
    expect(crowdedFolders(paths)).toEqual([]);
    expect(crowdedFolders([...paths, { path: 'src/server/kernel/more/a.ts' }])).toEqual([]);
    expect(crowdedFolders([...paths, { path: 'src/server/kernel/a.ts' }])).toHaveLength(1);
  });

  it('see a folder with three entries, folders counted like files, unless it is listed', () => {
    const three = ['a.ts', 'b.ts', 'c/a.ts', 'c/b.ts', 'c/c.ts', 'c/d.ts'];
    expect(sparseFolders(three.map((path) => ({ path: `src/server/${path}` })))).toHaveLength(1);
    expect(sparseFolders([...three, 'd.ts'].map((path) => ({ path: `src/server/${path}` })))).toEqual([]);
    expect(sparseFolders([{ path: 'src/protocol/revisions/2025-11-25/a.ts' }])).toEqual([
      expect.stringContaining('src/protocol has 1'),
      expect.stringContaining('src/protocol/revisions has 1'),
    ]);
  });

  it('find a small file that only one file beside it uses, and accept one that two use or that is longer', () => {
    const small = 'export const a = 1;\n';
    const user = "import { a } from './a.ts';";
    expect(loneFiles(files({ 'src/x/a.ts': small, 'src/x/b.ts': user }))).toHaveLength(1);
    expect(loneFiles(files({ 'src/x/a.ts': small, 'src/x/b.ts': user, 'src/x/c.ts': user }))).toEqual([]);
    expect(loneFiles(files({ 'src/x/a.ts': small + '\n'.repeat(30), 'src/x/b.ts': user }))).toEqual([]);
    expect(loneFiles(files({ 'src/x/a.ts': small, 'src/x/b.ts': user + '\n'.repeat(250) }))).toEqual([]);
  });
});

it('ARCHITECTURE.md says what every folder of src is for', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const said = [...text.matchAll(/^ {2}([a-z-]+)\/ +\S/gm)].map(([, name]) => name);
  expect(said.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});
