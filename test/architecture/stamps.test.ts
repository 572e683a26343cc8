/** Reports of test runs belong to sources: what a build writes does not make them out of date. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from './source-tree.ts';

it('a build changes no hash of the sources, and an edit does', async () => {
  const { hashOf } = (await import(join(root, 'scripts/stamps.mjs'))) as { hashOf(paths: readonly string[]): string };
  mkdirSync(join(root, '.tenon'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tenon/stamps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  };
  const hash = (): string => hashOf([relative(root, folder)]);
  write('src/a.ts');
  const before = hash();
  for (const path of ['dist/a.js', 'package/dist/b.js', 'src/generated/c.ts']) write(path);
  expect(hash()).toBe(before);
  write('src/d.ts');
  expect(hash()).not.toBe(before);
});
