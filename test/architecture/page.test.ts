/** The page of the inspector takes little of src into its bundle, and never writes HTML. The playground needs no Node. */
import { describe, expect, it } from 'vitest';
import { cyclesIn } from './cycles.ts';
import { readTree } from './source-tree.ts';

const tree = readTree('apps');
/** What runs beside the page. */
const isOfWorker = (path: string): boolean =>
  /^apps\/playground\/src\/(?:worker|backend|serve-backend|server)\.ts$/.test(path);
const page = tree.filter(({ path }) => !isOfWorker(path));

/** Free of packages and small. Types may come from anywhere. */
const bundled =
  /^src\/(?:json-schema\/form-plan\.ts|protocol\/uri-template\/|inspector\/api|capture\/(?:format\.ts|redaction\/)|lib\/text\/secret-)/;
const packages = ['preact', '@preact/signals', '@tanstack/virtual-core', 'uplot', 'vite'];

/** The statements that import more than types. */
const valueImports = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '([^']+)';|\bimport\('([^']+)'\)/gm)].map(
    ([, named, loaded]) => named ?? loaded ?? '',
  );

describe('the page', () => {
  it('has no circle of imports', () => {
    expect(tree.length).toBeGreaterThan(50);
    expect(cyclesIn(tree)).toEqual([]);
  });

  it('bundles only these parts of src and only these packages', () => {
    const found = page.flatMap(({ path, text }) => valueImports(text).map((target) => ({ path, target })));
    const isAllowed = (target: string): boolean =>
      target.includes('/src/') && !target.includes('inspector/src/')
        ? bundled.test(target.replace(/^(?:\.\.\/)+/, ''))
        : /^[./]|^node:url$/.test(target) || packages.some((name) => target === name || target.startsWith(`${name}/`));
    expect(found.filter(({ target }) => !isAllowed(target))).toEqual([]);
  });

  it('writes values as text: it has no innerHTML and evaluates nothing [S32]', () => {
    const isUnsafe = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/i;
    expect(tree.filter(({ text }) => isUnsafe.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

it('the worker of the playground reaches no module of Node, and of src/node only what shows a command', () => {
  const sources = new Map([...readTree('src'), ...tree].map((file) => [file.path, file]));
  const seen = new Set(['apps/playground/src/worker.ts', 'src/index.ts']);
  const outside = new Set<string>();
  for (const path of seen) {
    const { imports = [], text = '' } = sources.get(path) ?? {};
    const values = new Set(valueImports(text).map((target) => target.split('/').at(-1)));
    for (const target of imports) {
      if (!values.has(target.split('/').at(-1))) continue;
      if (sources.has(target)) seen.add(target);
      else outside.add(target);
    }
  }
  expect(seen.size).toBeGreaterThan(200);
  expect([...seen].filter((path) => path.startsWith('src/node/'))).toEqual(['src/node/child/command-line.ts']);
  expect([...outside].filter((name) => name.startsWith('node:'))).toEqual([]);
});
