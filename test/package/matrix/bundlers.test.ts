/** The packed package in a minified bundle of each bundler, run where no package is installed. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { requires } from '../../kit/requires.ts';
import { bundleWithEsbuild, codeOfUndici, toJavaScript } from './bundles.ts';
import { type Packed, pack, printed, type Run, toolFile, whyNoTools } from './project.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed?.remove());

const node = process.execPath;

/** A configuration as a module of the project; its tools are imported by their paths. */
const from = (path: string): string => JSON.stringify(pathToFileURL(path).href);

const rollup = `
import { rollup } from ${from(toolFile('rollup/dist/es/rollup.js'))};
import { nodeResolve } from ${from(toolFile('@rollup/plugin-node-resolve/dist/es/index.js'))};
import { transform } from ${from(join(root, 'node_modules/esbuild/lib/main.js'))};
import commonjs from ${from(toolFile('@rollup/plugin-commonjs/dist/es/index.js'))};
const minify = { name: 'minify', renderChunk: async (code) => (await transform(code, { minify: true })).code };
const plugins = [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), minify];
const bundle = await rollup({ input: 'program.js', plugins, onwarn() {} });
await bundle.write({ file: 'bundle.mjs', format: 'es', inlineDynamicImports: true });
`;

const webpack = `
import webpack from ${from(toolFile('webpack/lib/index.js'))};
import { resolve } from 'node:path';
webpack(
  {
    mode: 'production',
    target: 'node20',
    entry: './program.js',
    output: { path: resolve('.'), filename: 'bundle.cjs', asyncChunks: false },
    optimization: { splitChunks: false },
    plugins: [new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 })],
  },
  (error, stats) => {
    if (error || stats.hasErrors()) throw error ?? new Error(stats.toString('errors-only'));
  },
);
`;

const vite = `
import { build } from ${from(join(root, 'node_modules/vite/dist/node/index.js'))};
await build({
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    ssr: 'program.js',
    minify: true,
    target: 'node20',
    outDir: 'out',
    rolldownOptions: { output: { codeSplitting: false, entryFileNames: 'bundle.mjs' } },
  },
});
`;

/** Runs a bundler in a project; resolves with the bundle. */
async function bundleWith(program: string, name: string): Promise<string> {
  const project = await packed.project('module');
  await project.write('program.js', await toJavaScript(await readFile(join(project.folder, 'program.ts'), 'utf8')));
  await project.write('bundle.js', program);
  expect(await project.run(node, ['bundle.js'])).toEqual({ code: 0, output: '' });
  return readFile(join(project.folder, name), 'utf8');
}

/** Runs a bundle where no package is installed. */
async function runBare(name: string, code: string): Promise<Run & { readonly undici: string[] }> {
  const bare = await packed.bareFolder();
  await bare.write(name, code);
  return { ...(await bare.run(node, [name])), undici: codeOfUndici(code) };
}

const ran = { code: 0, output: printed, undici: [] };

describe('a minified bundle', () => {
  it.each([
    ['esm', 'bundle.mjs'],
    ['cjs', 'bundle.cjs'],
  ] as const)('of esbuild as %s runs', async (format, name) => {
    const project = await packed.project('module');
    expect(await runBare(name, await bundleWithEsbuild(project.folder, format))).toEqual(ran);
  });

  it('of Vite runs', async () => {
    expect(await runBare('bundle.mjs', await bundleWith(vite, 'out/bundle.mjs'))).toEqual(ran);
  });

  it.for([
    ['rollup', rollup, 'bundle.mjs'],
    ['webpack', webpack, 'bundle.cjs'],
  ] as const)('of %s runs', async ([, program, name], context) => {
    requires(context, whyNoTools());
    expect(await runBare(name, await bundleWith(program, name))).toEqual(ran);
  });
});

describe('an ESM bundle of esbuild on Windows', () => {
  const program = `
    import { connect } from 'tenon';
    await connect({ command: 'weather' }).catch((error) => console.log(error.code ?? error.message));`;
  // The platform is replaced: no program of Windows is started.
  const asWindows = `data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })`;

  it.each([
    ['cannot start a command', '', 'Dynamic require of "child_process" is not supported\n'],
    ['looks for the command once it has the require of the guide', requireOfGuide(), 'command-not-found\n'],
  ])('%s', async (_, banner, output) => {
    const project = await packed.project('module');
    await project.write('program.ts', program);
    const bare = await packed.bareFolder();
    await bare.write('bundle.mjs', await bundleWithEsbuild(project.folder, 'esm', banner));
    expect(await bare.run(node, ['--import', asWindows, 'bundle.mjs'])).toEqual({ code: 0, output });
  });
});

/** What the page puts before such a bundle. */
function requireOfGuide(): string {
  const page = readFileSync(join(root, 'docs/guide/bundling-and-runtimes.md'), 'utf8');
  return /--banner:js="(.+)"/.exec(page)?.[1] ?? '';
}

describe('the search for undici', () => {
  it('finds it in its own code', async () => {
    const code = await readFile(join(root, 'node_modules/undici/index.js'), 'utf8');
    expect(codeOfUndici(code)).not.toEqual([]);
  });
});
