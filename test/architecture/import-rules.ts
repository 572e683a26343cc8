/** The rules on imports; each returns its complaints, one sentence each, none when the tree obeys. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { beside, nodeFolders, only, packages, roots, tiers } from './layers.ts';
import type { SourceFile } from './source-tree.ts';

/** `src/server/http/endpoint.ts` is in the folder `server`. */
export const folderOf = (path: string): string => path.split('/')[1] ?? '';

export function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  if (only[from] !== undefined) return only[from].includes(to);
  return beside[from]?.includes(to) === true || tierOf(to) < tierOf(from);
}

/** An unlisted folder is above all others, so nothing may import it. */
function tierOf(folder: string): number {
  const tier = tiers.findIndex((folders) => folders.includes(folder));
  return tier === -1 ? tiers.length : tier;
}

export function unlistedFolders(files: readonly SourceFile[]): string[] {
  const listed = new Set(tiers.flat());
  return files
    .filter(({ path }) => !roots.includes(path) && !listed.has(folderOf(path)))
    .map(({ path }) => `${path}: its folder is not in test/architecture/layers.ts; give it a tier there`);
}

/** The entry points on Node re-export what runs anywhere. */
const isEntryOfNode = (from: string, to: string): boolean =>
  to.endsWith('/index.ts') && (from === 'src/node/index.ts' || from.startsWith('src/node/entries/'));

export function layerBreaks(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    if (roots.includes(from) || isEntryOfNode(from, to)) return undefined;
    if (!to.startsWith('src/') || mayImport(folderOf(from), folderOf(to))) return undefined;
    return `${from} imports ${to}: ${folderOf(from)} may not import ${folderOf(to)}`;
  });
}

/** Relative imports that leave src, and imports of this package by its own name, dodge the table. */
export function strayImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const leaves = /^(?:\.\.?|test|scripts|examples|docs|apps|bench|dist|node_modules)\//.test(to);
    const selfNamed = /^tenon(?:\/|$)/.test(to);
    return leaves || selfNamed ? `${from} imports ${to}: import files of src by relative path` : undefined;
  });
}

export function ownBarrelImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const inside = posix.basename(to) === 'index.ts' && from.startsWith(`${posix.dirname(to)}/`);
    if (!inside || isEntryOfNode(from, to)) return undefined;
    return `${from} imports ${to}, the index of a folder it is in: import the file that has it`;
  });
}

export function unlistedPackages(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    if (to.startsWith('src/') || isNodeModule(to)) return undefined;
    const name = to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/');
    const allowed = [...(packages[from] ?? []), ...(packages[`src/${folderOf(from)}`] ?? [])];
    return allowed.includes(name)
      ? undefined
      : `${from} imports the package ${name}, which layers.ts does not allow it`;
  });
}

export function strayNodeImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) =>
    isNodeModule(to) && !nodeFolders.includes(folderOf(from))
      ? `${from} imports ${to}: only ${nodeFolders} may`
      : undefined,
  );
}

const isNodeModule = (specifier: string): boolean => specifier.startsWith('node:') || isBuiltin(specifier);

function eachImport(files: readonly SourceFile[], judge: (from: string, to: string) => string | undefined): string[] {
  return files.flatMap(({ path, imports }) => imports.flatMap((target) => judge(path, target) ?? []));
}
