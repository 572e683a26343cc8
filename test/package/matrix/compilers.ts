/** Compiles a project with the compilers of this repository, and runs what they write. */
import { join } from 'node:path';
import { root } from '../../architecture/source-tree.ts';
import type { Project, Run } from './project.ts';

export const compilers = [
  { compiler: 'TypeScript 5.9', tsc: 'ts59' },
  { compiler: 'TypeScript 6', tsc: 'typescript' },
  { compiler: 'TypeScript 7', tsc: 'ts7' },
] as const;

export interface Compilation {
  /** The package of the compiler. */
  readonly tsc: (typeof compilers)[number]['tsc'];
  readonly module: string;
  readonly moduleResolution: string;
}

/** What a project has to have for it. */
export const typePackages: readonly string[] = ['@types/node', 'undici-types'];

/** Writes JavaScript to the folder `out`; resolves with what the compiler prints. */
export function compile(project: Project, file: string, { tsc, module, moduleResolution }: Compilation): Promise<Run> {
  const flags = ['--strict', '--target', 'es2022', '--types', 'node', '--pretty', 'false', '--outDir', 'out'];
  // Only the newest compiler checks the declarations of all packages: the older ones need ten seconds for it.
  const libraries = tsc === 'ts7' ? [] : ['--skipLibCheck'];
  const modules = ['--module', module, '--moduleResolution', moduleResolution];
  const path = join(root, 'node_modules', tsc, 'bin/tsc');
  return project.run(process.execPath, [path, file, ...flags, ...libraries, ...modules]);
}
