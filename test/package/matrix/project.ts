/** Projects with the packed package, in which the cases of the matrix run. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../architecture/source-tree.ts';
import { ownDependencies } from '../entries.ts';
import { type EmptyFolder, packInto } from '../new-project.ts';

/** What `program.ts` prints. */
export const printed = 'HTTP: sun, memory: sun, refused: invalid-argument\n';

export interface Run {
  readonly code: number;
  /** What it wrote to both streams. */
  readonly output: string;
}

export interface Project {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  /** Runs a program in the folder, or in another. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Run>;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Packed {
  /** A project of one module format, with the packages it names besides `tenon` and its dependencies. */
  project(type: 'module' | 'commonjs', ...packages: readonly string[]): Promise<Project>;
  /** A folder without packages, in it or above it. */
  bareFolder(): Promise<Project>;
  remove(): Promise<void>;
}

/** Packs what is built. */
export async function pack(): Promise<Packed> {
  const packed = await packInto();
  const bare = await mkdtemp(join(tmpdir(), 'tenon-bare-'));
  let count = 0;
  return {
    async project(type, ...packages) {
      const folder = join(packed.folder, `project-${++count}`);
      await install(packed, folder, packages);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'weather', type }));
      await cp(join(root, 'test/package/matrix/program.ts'), join(folder, 'program.ts'));
      return at(folder);
    },
    async bareFolder() {
      const folder = join(bare, String(++count));
      await mkdir(folder);
      return at(folder);
    },
    async remove() {
      await rm(bare, { recursive: true, force: true });
      await packed.remove();
    },
  };
}

/** As npm installs them, without asking a registry. */
async function install(packed: EmptyFolder, folder: string, packages: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'tenon'), { recursive: true });
  await packed.run('tar', ['-xzf', packed.tarball, '--strip-components=1', '-C', join(modules, 'tenon')]);
  for (const name of [...ownDependencies, ...packages]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
}

const at = (folder: string): Project => ({
  folder,
  async write(name, text) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  },
  run: (command, args, { cwd = folder, env = {} } = {}) =>
    new Promise((resolve) => {
      const options = { cwd, env: { ...ownEnvironment(), ...env }, maxBuffer: 64 * 1024 * 1024 };
      execFile(command, [...args], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
      );
    }),
});

/** Without what vitest and `npm run test:long` set for this repository. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { TSX_TSCONFIG_PATH: _, NODE_ENV: __, NODE_OPTIONS: ___, VITEST: ____, ...others } = process.env;
  return others;
}

const tools = join(root, '.tenon/matrix');
const lock = join(root, 'test/package/matrix/tools/package-lock.json');

/** Why the bundlers, runtimes and test runners that this repository does not use itself cannot run, or `undefined`. */
export function whyNoTools(): string | undefined {
  const stamp = join(tools, 'node_modules/.tenon-lock');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  return isInstalled ? undefined : 'the tools of the matrix are not installed: `npm run test:long` does that';
}

/** The path of a file of an installed tool. */
export const toolFile = (path: string): string => join(tools, 'node_modules', path);
