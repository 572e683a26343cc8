/** The places that docs/contributing.md names exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const named = [
  ...readFileSync(join(root, 'docs/contributing.md'), 'utf8').matchAll(/`((?:src|test|apps|spec)\/[^`\s]+)`/g),
];

it('the recipes name files and folders that exist', () => {
  const places = named.map(([, path]) => path as string);
  expect(places.length).toBeGreaterThan(15);
  expect(places.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
