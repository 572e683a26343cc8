/** Bundles code as an application would and measures the size of the bundle. */
import { builtinModules } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { entryFiles } from './entries.mjs';

const resolveDir = import.meta.dirname;
const entryName = 'entry.mjs';

/** For CommonJS packages in a bundle that load Node's modules with `require`. */
const requireBanner =
  "import{createRequire as requireOfBench}from'node:module';const require=requireOfBench(import.meta.url);";

/**
 * `source` is code whose imports resolve from here, ours as built. Resolves with the files and their sizes: what an
 * application loads at start, and what only a dynamic import loads. Without `splitting` it is all one file.
 */
export async function bundle(source, { external = [], platform = 'neutral', splitting = true } = {}) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir, sourcefile: entryName, loader: 'ts' },
    absWorkingDir: resolveDir,
    outdir: 'bundle',
    bundle: true,
    splitting,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    platform,
    mainFields: ['module', 'main'],
    alias: entryFiles,
    // Dependencies name Node's modules without the prefix.
    external: ['node:*', ...builtinModules, ...external],
    banner: platform === 'node' ? { js: requireBanner } : {},
    logLevel: 'silent',
  });
  const first = loadedAtStart(metafile.outputs);
  const files = outputFiles.map(({ path, contents }) => ({ name: path.split('/').at(-1), contents }));
  const atStart = files.filter(({ name }) => first.has(name));
  const later = files.filter(({ name }) => !first.has(name));
  return { files, entry: [...first][0], start: weigh(atStart), later: weigh(later) };
}

/** The names of the entry and of every file that it imports statically, directly or not. */
function loadedAtStart(outputs) {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entryName);
  const seen = new Set([entry]);
  for (const path of seen) {
    const { imports } = outputs[path];
    for (const { path: next, kind, external } of imports) {
      if (kind === 'import-statement' && !external) seen.add(next);
    }
  }
  return new Set([...seen].map((path) => path.split('/').at(-1)));
}

/** The bytes of all files, each compressed separately as a server would send it. */
export function weigh(files) {
  const total = (size) => files.reduce((sum, { contents }) => sum + size(contents), 0);
  return {
    minified: total((contents) => contents.length),
    gzip: total((contents) => gzipSync(contents, { level: 9 }).length),
    brotli: total((contents) => brotliCompressSync(contents).length),
  };
}
