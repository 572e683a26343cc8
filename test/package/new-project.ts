/** An empty folder with the packed package, as `npx --package ./tenon-*.tgz` has it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../architecture/source-tree.ts';

const execute = promisify(execFile);

export interface EmptyFolder {
  readonly folder: string;
  readonly tarball: string;
  /** Runs a program there; resolves to what it prints, rejects if it fails. */
  run(command: string, args: readonly string[], cwd?: string): Promise<string>;
  remove(): Promise<void>;
}

/** Packs what is built. */
export async function packInto(): Promise<EmptyFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-new-'));
  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  // The tests' own settings of tsx are for this repository.
  const { TSX_TSCONFIG_PATH: _, ...others } = process.env;
  // As for a new user: nothing of this program is stored yet.
  const env = { ...others, XDG_CONFIG_HOME: join(folder, 'config') };
  return {
    folder,
    tarball,
    run: async (command, args, cwd = folder) => (await execute(command, [...args], { cwd, env })).stdout,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
