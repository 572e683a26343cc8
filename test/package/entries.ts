/** The entry points of the package: the exports of package.json, and the source file each is built from. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tsdown from '../../tsdown.config.ts';
import { root } from '../architecture/source-tree.ts';

export interface Entry {
  /** The import specifier: `tenon/server`. */
  readonly name: string;
  /** The path of its source, from the root of the repository; undefined if the build does not make it. */
  readonly source: string | undefined;
}

export type Target = string | { readonly [condition: string]: Target };

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly exports: Readonly<Record<string, Target>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** Installed with the package. */
export const ownDependencies: readonly string[] = Object.keys(manifest.dependencies);

/** Installed by users who need them. */
export const peers: readonly string[] = Object.keys(manifest.peerDependencies);

export const dependencies: readonly string[] = [...ownDependencies, ...peers];

/** Output name to source, from the configuration of the build. */
export const built: Readonly<Record<string, string>> = (tsdown as { entry: Record<string, string> }).entry;

/** A subpath with conditions has one entry for each of its files. */
export const entries: readonly Entry[] = Object.entries(manifest.exports)
  .filter(([subpath]) => subpath !== './package.json')
  .flatMap(([subpath, target]) => {
    const files = [...new Set(filesOf(target))];
    const name = manifest.name + subpath.slice(1);
    return files.map((file) => ({ name: files.length === 1 ? name : `${name} (${file})`, source: sourceOf(file) }));
  });

/** What package.json says of each subpath that has code. */
export const codeTargets: readonly (readonly [subpath: string, target: Target])[] = Object.entries(
  manifest.exports,
).filter(([, target]) => filesOf(target).length > 0);

/** The entries whose source exists, with its path. */
export const presentEntries: readonly { readonly name: string; readonly source: string }[] = entries.flatMap(
  ({ name, source }) => (source !== undefined && existsSync(join(root, source)) ? [{ name, source }] : []),
);

function filesOf(target: Target): string[] {
  const files = typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf);
  return files.filter((file) => file.endsWith('.js'));
}

function sourceOf(file: string): string | undefined {
  return built[file.replace(/^\.\/dist\//, '').replace(/\.js$/, '')];
}
