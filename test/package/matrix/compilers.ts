/** Compiles a project with the compilers of this repository and of the matrix, and runs what they write. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type ts from 'typescript';
import { root } from '../../architecture/source-tree.ts';
import { type Project, type Run, toolFile } from './project.ts';

export const compilers = [
  { compiler: 'TypeScript 5.9', tsc: 'ts59' },
  { compiler: 'TypeScript 6', tsc: 'typescript' },
  { compiler: 'TypeScript 7', tsc: 'ts7' },
] as const;

export interface Compilation {
  /** The package of the compiler. */
  readonly tsc: (typeof compilers)[number]['tsc'] | 'ts57';
  readonly module: string;
  /** That of `module` by default. */
  readonly moduleResolution?: string;
}

/** What a project has to have for it. */
export const typePackages: readonly string[] = ['@types/node', 'undici-types'];

const packageOf = (name: string): string => {
  const own = join(root, 'node_modules', name);
  return existsSync(own) ? own : toolFile(name);
};

/** Writes JavaScript to the folder `out`; resolves with what the compiler prints. */
export function compile(project: Project, file: string, compilation: Compilation): Promise<Run> {
  return compilation.tsc === 'ts7'
    ? compileByProgram(project, file, compilation)
    : compileHere(project, file, compilation);
}

/** The newest compiler is a native program. It alone checks the declarations of all packages: the others need ten seconds for it. */
function compileByProgram(
  project: Project,
  file: string,
  { tsc, module, moduleResolution }: Compilation,
): Promise<Run> {
  const flags = ['--strict', '--target', 'es2022', '--types', 'node', '--pretty', 'false', '--outDir', 'out'];
  const resolution = moduleResolution === undefined ? [] : ['--moduleResolution', moduleResolution];
  const path = join(packageOf(tsc), 'bin/tsc');
  return project.run(process.execPath, [path, file, ...flags, '--module', module, ...resolution]);
}

/** The others are JavaScript: in one process each case but the first takes a third of the time. */
async function compileHere({ folder }: Project, file: string, { tsc, ...given }: Compilation): Promise<Run> {
  const { href } = pathToFileURL(join(packageOf(tsc), 'lib/typescript.js'));
  const { default: compiler } = (await import(/* @vite-ignore */ href)) as { readonly default: typeof ts };
  const common = { strict: true, target: 'es2022', types: ['node'], outDir: 'out', skipLibCheck: true };
  const { options, errors } = compiler.convertCompilerOptionsFromJson({ ...common, ...given }, folder);
  const host = { ...compiler.createCompilerHost(options), getCurrentDirectory: () => folder };
  const program = compiler.createProgram([join(folder, file)], options, host);
  const found = [...errors, ...compiler.getPreEmitDiagnostics(program)];
  program.emit();
  return { code: found.length === 0 ? 0 : 2, output: compiler.formatDiagnostics(found, host) };
}
