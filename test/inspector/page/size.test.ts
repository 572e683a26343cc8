/** The built page stays small. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = fileURLToPath(new URL('../../../dist/inspector', import.meta.url));
const zipped = (name: string): number => gzipSync(readFileSync(join(built, 'assets', name))).length;
const sum = (names: readonly string[]): number => names.reduce((total, name) => total + zipped(name), 0);

it('has at most 80 kB, compressed', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8');
  const names = readdirSync(join(built, 'assets'));
  const first = names.filter((name) => html.includes(`/assets/${name}`));
  expect(first.some((name) => name.endsWith('.js')) && first.some((name) => name.endsWith('.css'))).toBe(true);
  expect(sum(names)).toBeLessThanOrEqual(80_000);
});

it('has no script or style in its text, and names no other host', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8');
  expect(html).not.toMatch(/https?:\/\//);
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=/);
});
