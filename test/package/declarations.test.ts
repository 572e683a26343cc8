/** A project that emits declarations can export values of the packed package: each of their types has a public name. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts59 from 'ts59';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { scaled } from '../kit/long.ts';
import { hoverByServer, hoverInProcess, type Pointer } from './hover.ts';
import { installPacked } from './packed.ts';

/** Each with the number of module resolutions it is tried with: the older compilers take five seconds for each. */
const compilers = [
  ['TypeScript 5.9', 'ts59', scaled(1, 2)],
  ['TypeScript 6', 'typescript', scaled(1, 2)],
  ['TypeScript 7', 'ts7', 2],
] as const;

const resolutions = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const;

let project: Awaited<ReturnType<typeof installPacked>>;

beforeAll(async () => {
  project = await installPacked('zod', '@types/node', 'undici-types');
  await writeFile(join(project.folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await cp(join(root, 'test/package/declared'), project.folder, { recursive: true });
  // Apart: TypeScript 6 and 7 take no file by name in a folder with a configuration.
  const editor = join(project.folder, 'editor');
  await mkdir(editor);
  await rename(join(project.folder, 'hovered.ts'), join(editor, 'hovered.ts'));
  await writeFile(join(editor, 'tsconfig.json'), JSON.stringify(editorSettings));
});

afterAll(() => project?.remove());

/** For an editor, whose files are not named on a command line. */
const editorSettings = {
  compilerOptions: { strict: true, target: 'es2022', module: 'nodenext', skipLibCheck: true, types: ['node'] },
  files: ['hovered.ts'],
};

const settings = ['--strict', '--declaration', '--emitDeclarationOnly', '--target', 'es2022', '--types', 'node'];

/** Compiles the program in a new process; resolves to the output of the compiler and the declarations it writes. */
async function compile(compiler: string, module: string, resolution: string): Promise<[string, string]> {
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  const out = `${compiler}-${resolution}`;
  // Only the newest compiler checks the declarations of all packages: the older ones need ten seconds for it.
  const libraries = compiler === 'ts7' ? [] : ['--skipLibCheck'];
  const flags = [...settings, ...libraries, '--module', module, '--moduleResolution', resolution, '--outDir', out];
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, 'program.ts', ...flags], { cwd: project.folder }, (_, stdout) => resolve(stdout));
  });
  // A compiler that reports errors may write no declarations.
  return [printed, printed === '' ? await readFile(join(project.folder, out, 'program.d.ts'), 'utf8') : ''];
}

it.each(compilers)('a program that exports values of inferred types compiles with %s', async (_, compiler, count) => {
  const compiled = await Promise.all(
    resolutions.slice(0, count).map(([module, resolution]) => compile(compiler, module, resolution)),
  );
  for (const [printed, declarations] of compiled) {
    expect(printed).toBe('');
    expect(declarations).toContain('export declare const server: ');
    expect(declarations).not.toContain('dist/');
  }
});

interface Refusal {
  readonly line: number;
  readonly text: string;
}

const refusing = readFileSync(join(root, 'test/package/declared/refused.ts'), 'utf8').split('\n');
const mark = '// @ts-expect-error ';
const marks = refusing.flatMap((text, at) => (text.trim().startsWith(mark) ? [{ line: at + 2, text }] : []));

/** What a compiler says about `refused.ts` without the marks that make it expect errors. */
async function refusals(compiler: string): Promise<Refusal[]> {
  const folder = join(project.folder, compiler);
  await mkdir(folder);
  await writeFile(join(folder, 'refused.ts'), refusing.map((line) => line.replace(mark, '// ')).join('\n'));
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--types',
    'node',
    '--pretty',
    'false',
  ];
  const given = [tsc, 'refused.ts', ...flags, '--module', 'nodenext'];
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, given, { cwd: folder }, (_, stdout) => resolve(stdout));
  });
  const found: Refusal[] = [];
  for (const line of printed.split('\n').filter((one) => one !== '')) {
    const [, at, text = line] = /^refused\.ts\((\d+),\d+\): error (.*)$/.exec(line) ?? [];
    const before = at === undefined ? found.pop() : undefined;
    found.push({ line: before?.line ?? Number(at), text: before === undefined ? text : `${before.text}\n${text}` });
  }
  return found;
}

it.each(compilers)('%s refuses wrong values in few words that name what is allowed', async (_, compiler) => {
  const found = await refusals(compiler);
  expect(found.map(({ line }) => line)).toEqual(marks.map(({ line }) => line));
  const words = marks.map(({ text }) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string));
  const isReadable = (text: string): boolean => text.split('\n').length <= 6 && text.length <= 900;
  const unclear = found.filter(({ text }, at) => !isReadable(text) || words[at]?.some((word) => !text.includes(word)));
  expect(unclear).toEqual([]);
});

/** The option `requestMs` in the program. */
async function pointer(): Promise<Pointer> {
  const folder = join(project.folder, 'editor');
  const file = join(folder, 'hovered.ts');
  return { folder, file, at: (await readFile(file, 'utf8')).indexOf('requestMs') + 1 };
}

const languageServer = [join(root, 'node_modules/ts7/bin/tsc'), '--lsp', '--stdio'];

it.each([
  ['TypeScript 5.9', (at: Pointer) => hoverInProcess(ts59 as unknown as typeof ts, at)],
  ['TypeScript 6', (at: Pointer) => hoverInProcess(ts, at)],
  ['the language server of TypeScript 7', (at: Pointer) => hoverByServer(languageServer, at)],
])('an editor shows what an option does and its default, with %s', async (_, hover) => {
  const shown = await hover(await pointer());
  expect(shown).toContain('How long a whole request may take to arrive');
  expect(shown).toMatch(/@default\s+— 30 s/);
});
