/** Bundles an entry point as an application would, to measure its size and list the files it includes. */
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';

export interface Bundle {
  /** The size of what is loaded at the start, without dynamic imports. */
  readonly gzipBytes: number;
  /** The files that have code in the bundle, from the root of the repository. */
  readonly files: readonly string[];
}

const made = new Map<string, Promise<Bundle>>();

/** Made once for all test files of a process. */
export function bundle(source: string): Promise<Bundle> {
  const bundled = made.get(source) ?? newBundle(source);
  made.set(source, bundled);
  return bundled;
}

/** Declared dependencies are external: the size is that of our own code and of what the build inlines. */
async function newBundle(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    splitting: true,
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*', '*?worker&url', ...dependencies.flatMap((name) => [name, `${name}/*`])],
    outdir: 'bundle',
    logLevel: 'silent',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const first = atStart(source, metafile);
  const loaded = outputFiles.filter(({ path }) => first.has(basename(path)));
  return {
    gzipBytes: loaded.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    files: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}

/** The names of the entry's own file and of all it imports statically. */
function atStart(source: string, { outputs }: Metafile): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (path: string): void => {
    if (found.has(basename(path))) return;
    found.add(basename(path));
    for (const { kind, path: next } of outputs[path]?.imports ?? []) if (kind === 'import-statement') follow(next);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === source) follow(path);
  return found;
}
