/** The rooms of src and apps stay small and keep to their tiers, and every rule that says so can fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crowdedFolders, loneTypes, unlistedRooms, upwardImports } from './room-rules.ts';
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
    ['has at most 14 entries in a folder', crowdedFolders],
    ['has no small file for a type that only one file beside it uses', loneTypes],
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

  it('see a folder with a fifteenth entry, folders counted like files', () => {
    const paths = Array.from({ length: 14 }, (_, n) => ({ path: `src/server/kernel/f${n}.ts` }));
    expect(crowdedFolders(paths)).toEqual([]);
    expect(crowdedFolders([...paths, { path: 'src/server/kernel/more/a.ts' }])).toHaveLength(1);
    const flat = Array.from({ length: 20 }, (_, n) => ({ path: `src/jsonrpc/f${n}.ts` }));
    expect(crowdedFolders(flat)).toEqual([]);
  });

  it('find a small file of types that only one file uses, and accept one that two use or that has code', () => {
    const type = 'export interface A {}\n';
    const user = "import type { A } from './a.ts';";
    expect(loneTypes(files({ 'src/x/a.ts': type, 'src/x/b.ts': user }))).toHaveLength(1);
    expect(loneTypes(files({ 'src/x/a.ts': type, 'src/x/b.ts': user, 'src/x/c.ts': user }))).toEqual([]);
    expect(loneTypes(files({ 'src/x/a.ts': `${type}export const a = 1;`, 'src/x/b.ts': user }))).toEqual([]);
    expect(loneTypes(files({ 'src/x/a.ts': type + '\n'.repeat(30), 'src/x/b.ts': user }))).toEqual([]);
  });
});

it('ARCHITECTURE.md says what every folder of src is for', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const said = [...text.matchAll(/^ {2}([a-z-]+)\/ +\S/gm)].map(([, name]) => name);
  expect(said.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});
