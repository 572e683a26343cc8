/** The places that docs/contributing.md and docs/comparison.md name exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const namedIn = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/`((?:src|test|apps|spec|bench)\/[^`\s]+)`/g)].map(
    ([, path]) => path as string,
  );

it.each([
  ['the recipes name', 'docs/contributing.md', 15],
  ['the proofs of the comparison are', 'docs/comparison.md', 6],
])('%s files and folders that exist', (_, page, least) => {
  const places = namedIn(page);
  expect(places.length).toBeGreaterThan(least);
  expect(places.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
