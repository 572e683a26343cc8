/** The fixture client as a program that starts quickly: the suite starts it once for every scenario, all at once. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { inRoot, root } from '../command.mjs';

const folder = inRoot('.tenon/conformance');

/** Settles with its path. Several may be made at once: each puts the whole file in place. */
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
