/** The smallest servers on stdio, ours and others': their files, and bundles of them as an application would make them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle } from '../sizes/bundle.mjs';
import { peers } from '../sizes/entries.mjs';

const folder = new URL('../results/bundles/', import.meta.url);

/** Packages that fastmcp imports only for schemas of other libraries. */
const unneeded = ['effect', 'sury', '@valibot/to-json-schema', 'arktype', 'jose'];

export const programs = {
  'bare server': 'bare',
  'bare server, zod': 'bare-zod',
  'Tenon, schema by hand': 'tenon',
  'Tenon, schema by hand, from `tenon`': 'tenon-all',
  'Tenon, zod': 'tenon-zod',
  'tmcp, zod': 'tmcp',
  'official SDK v1, zod': 'sdk-v1',
  'official SDK v2, zod': 'sdk-v2',
  'fastmcp, zod': 'fastmcp',
};

export const pathOf = (file) => fileURLToPath(new URL(`./${file}.mjs`, import.meta.url));

/** `splitting` puts dynamic imports into their own files. `external` packages are not bundled. */
export const bundleOf = (file, { splitting = false, external = [] } = {}) =>
  bundle(`import ${JSON.stringify(pathOf(file))};`, {
    platform: 'node',
    splitting,
    // Optional peers of ours are in this repository, and not in an application that does not use them.
    external: [...unneeded, ...(file.startsWith('tenon') ? peers : []), ...external],
  });

/** Bundles the program, writes it below the results, and resolves with the path of its first file and its size. */
export async function writeBundle(file, options) {
  const { files, entry, start, later } = await bundleOf(file, options);
  const place = new URL(`stdio-${file}${options?.splitting ? '-split' : ''}/`, folder);
  mkdirSync(place, { recursive: true });
  for (const { name, contents } of files) writeFileSync(new URL(name, place), contents);
  return { path: fileURLToPath(new URL(entry, place)), start, later };
}
