/** The page of the inspector takes little of src into its bundle, and never writes HTML. */
import { describe, expect, it } from 'vitest';
import { cyclesIn } from './cycles.ts';
import { readTree } from './source-tree.ts';

const tree = readTree('apps');

/** Free of packages and small. Types may come from anywhere. */
const bundled =
  /^src\/(?:json-schema\/form-plan\.ts|protocol\/uri-template\/|inspector\/api|capture\/(?:format\.ts|redaction\/)|lib\/text\/secret-)/;
const packages = ['preact', '@preact/signals', '@tanstack/virtual-core', 'uplot', 'vite'];

/** The statements that import more than types. */
const valueImports = (text: string): string[] =>
  [...text.matchAll(/^import (?!type\b)[^;]*? from '([^']+)';/gm)].map((match) => match[1] ?? '');

describe('the page', () => {
  it('has no circle of imports', () => {
    expect(tree.length).toBeGreaterThan(50);
    expect(cyclesIn(tree)).toEqual([]);
  });

  it('bundles only these parts of src and only these packages', () => {
    const found = tree.flatMap(({ path, text }) => valueImports(text).map((target) => ({ path, target })));
    const isAllowed = (target: string): boolean =>
      target.includes('/src/')
        ? bundled.test(target.replace(/^(?:\.\.\/)+/, ''))
        : /^[./]|^node:url$/.test(target) || packages.some((name) => target === name || target.startsWith(`${name}/`));
    expect(found.filter(({ target }) => !isAllowed(target))).toEqual([]);
  });

  it('writes values as text: it has no innerHTML and evaluates nothing [S32]', () => {
    const isUnsafe = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/i;
    expect(tree.filter(({ text }) => isUnsafe.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
