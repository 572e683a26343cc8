/** A converted server, finished as a person would, as a program beside the original. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type MigrateOptions, migrate } from '../../packages/tenon-migrate/src/migrate.ts';
import { root } from '../architecture/source-tree.ts';

/** A change by hand: the text, and what is written instead. */
export type Patch = readonly (readonly [before: string | RegExp, after: string])[];

/** Converts a published server of one file, applies the patch, and bundles it; the path of the program. */
export async function convertedProgram(name: string, patch: Patch, options: MigrateOptions): Promise<string> {
  const from = join(root, 'node_modules/@modelcontextprotocol', name, 'dist');
  const files = [{ path: 'index.js', text: readFileSync(join(from, 'index.js'), 'utf8') }];
  let text = migrate(files, options).changed[0]?.text ?? '';
  for (const [before, after] of patch) {
    const patched = text.replace(before, after);
    if (patched === text) throw new Error(`The converted ${name} has no ${String(before)}.`);
    text = patched;
  }
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: text, resolveDir: from, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.node.json',
    mainFields: ['module', 'main'],
    external: ['cross-spawn', 'undici', '@opentelemetry/*'],
    ignoreAnnotations: true,
    logLevel: 'silent',
    alias: {
      'tenon/official': join(root, 'src/node/entries/official.ts'),
      'tenon/stdio': join(root, 'src/node/stdio-server/stdio.ts'),
    },
  });
  const folder = join(root, '.tenon/migrate');
  await mkdir(folder, { recursive: true });
  const program = join(folder, `${name}${options.tidy === true ? '-tidy' : ''}.mjs`);
  await writeFile(program, outputFiles[0]?.contents ?? '');
  return program;
}
