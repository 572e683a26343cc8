/** Bundles the fixture client so that it starts fast: the suite starts it for every scenario, all at once. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { inRoot, root } from '../command.mjs';

const folder = inRoot('.tenon/conformance');

/** Resolves with its path. Several processes may bundle it at once, so each writes a draft and renames it. */
export async function bundleClient() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['conformance/client.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.node.json',
    external: ['cross-spawn', 'undici'],
    logLevel: 'silent',
  });
  await mkdir(folder, { recursive: true });
  const file = `${folder}/client.mjs`;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, outputFiles[0].contents);
  await rename(draft, file);
  return file;
}
