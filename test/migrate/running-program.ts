/** A converted server, finished as a person would, as a program beside the original. */
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type MigrateOptions, migrate, type SourceText } from '../../packages/tenon-migrate/src/migrate.ts';
import { root } from '../architecture/source-tree.ts';

/** A change by hand: the text, and what is written instead. */
export type Patch = readonly (readonly [before: string | RegExp, after: string])[];

const folderOf = (name: string): string => join(root, 'node_modules/@modelcontextprotocol', name, 'dist');

/** The files of a published server; its own tests are none. */
export const filesOf = (name: string): SourceText[] =>
  readdirSync(folderOf(name), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !/__tests__|vitest/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folderOf(name), path), 'utf8') }));

function patched(path: string, text: string, patch: Patch): string {
  return patch.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`The converted ${path} has no ${String(from)}.`);
    return after;
  }, text);
}

/** Converts a published server of one file, applies the patch, and bundles it; the path of the program. */
export async function convertedProgram(name: string, patch: Patch, options: MigrateOptions): Promise<string> {
  const path = 'index.js';
  const files = [{ path, text: readFileSync(join(folderOf(name), path), 'utf8') }];
  const contents = patched(path, migrate(files, options).changed[0]?.text ?? '', patch);
  const program = join(root, '.tenon/migrate', `${name}${options.tidy === true ? '-tidy' : ''}.mjs`);
  await bundle(program, { stdin: { contents, resolveDir: folderOf(name), loader: 'js' } });
  return program;
}

/** The same of a server of several files; `entry` begins the program. What is beside them is copied. */
export async function convertedFolder(
  name: string,
  entry: string,
  patches: Readonly<Record<string, Patch>>,
): Promise<string> {
  const files = filesOf(name);
  const { changed } = migrate(files, {});
  const folder = join(root, '.tenon/migrate', name);
  await rm(folder, { recursive: true, force: true });
  await cp(folderOf(name), folder, { recursive: true });
  for (const { path, text } of files) {
    const converted = changed.find((one) => one.path === path)?.text ?? text;
    await writeFile(join(folder, path), patched(path, converted, patches[path] ?? []));
  }
  // Where it is one folder below the others, as the file that it begins with.
  const program = join(folder, dirname(entry), 'program.mjs');
  await bundle(program, { entryPoints: [join(folder, entry)] });
  return program;
}

async function bundle(program: string, input: Pick<BuildOptions, 'stdin' | 'entryPoints'>): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...input,
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
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, outputFiles?.[0]?.contents ?? '');
}
