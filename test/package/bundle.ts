/** Bundles an entry point the way an application would, to see its size and what it draws in. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';

export interface Bundle {
  readonly gzipBytes: number;
  /** The files that have code in the bundle, from the root of the repository. */
  readonly files: readonly string[];
}

/** Declared dependencies stay outside: the size is that of our own code and of what the build inlines. */
export async function bundle(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*', ...dependencies.flatMap((name) => [name, `${name}/*`])],
    outdir: 'bundle',
    logLevel: 'silent',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return {
    gzipBytes: gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length,
    files: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}
