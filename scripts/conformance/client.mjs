/** Bundles the fixtures that are started often so that they start fast: the suite starts the client for every scenario, all at once. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { inRoot, root } from '../command.mjs';

const folder = inRoot('.tenon/conformance');

/** Resolves with the path of the fixture client. */
export const bundleClient = () => bundled('client');

/** Resolves with the path of the fixture server over stdio, which a gateway starts for every set of client features. */
export const bundleStdioServer = () => bundled('stdio-server');

/** Several processes may bundle it at once, so each writes a draft and renames it. */
async function bundled(name) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`conformance/${name}.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.node.json',
    external: ['cross-spawn', 'undici', 'yaml'],
    logLevel: 'silent',
  });
  await mkdir(folder, { recursive: true });
  const file = `${folder}/${name}.mjs`;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, outputFiles[0].contents);
  await rename(draft, file);
  return file;
}
