/** Runs the programs of the recipes, as their own processes, with this checkout as the package. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { eachLine } from '../kit/process/raw-process.ts';
import { withTimeout } from '../kit/with-timeout.ts';

export const recipeFolder = (recipe: string): string => join(root, 'examples/deploy', recipe);

export const recipeFile = (recipe: string, file: string): string =>
  readFileSync(join(recipeFolder(recipe), file), 'utf8');

/** A folder that is removed at the end of the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-recipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Replaces a text that has to be there. */
export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The recipe has no "${from}".`);
    return changed.replaceAll(from, to);
  }, text);
}

export interface RunningRecipe {
  /** The URL that it printed. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Its standard output and error so far. */
  output(): string;
  /** Sends a signal. Resolves with the exit code, `null` if the signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

interface Starting {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: this Node. */
  readonly command?: string;
  readonly cwd?: string;
  /** Has its URL as a group. Default: the line `ready URL`. */
  readonly ready?: RegExp;
}

const readyLine = /^ready (\S+)$/;

/** Starts a program, waits for the line that has its URL, and kills it at the end of the test. */
export async function start({
  args,
  env = {},
  command = process.execPath,
  cwd = root,
  ready = readyLine,
}: Starting): Promise<RunningRecipe> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const found = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      eachLine(stream, (line) => {
        output += `${line}\n`;
        const [, url] = ready.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${args.join(' ')} exited with ${code}: ${output}`)));
  });
  const url = await withTimeout(found, `the URL of ${args.join(' ')}`);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    output: () => output,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return withTimeout(ended, `the exit of ${args.join(' ')}`);
    },
  };
}

/** A copy of a recipe with the packages that it names: this checkout is `tenon`, the others are those of this checkout. */
function installedRecipe(recipe: string): string {
  const folder = emptyFolder();
  cpSync(recipeFolder(recipe), folder, { recursive: true });
  const { dependencies } = JSON.parse(recipeFile(recipe, 'package.json'));
  for (const name of Object.keys(dependencies)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(name === 'tenon' ? root : join(root, 'node_modules', name), place, 'junction');
  }
  return folder;
}

/** Starts a TypeScript program of a recipe. */
export const startProgram = (recipe: string, file: string, env: Readonly<Record<string, string>> = {}) =>
  start({ args: ['--import', 'tsx', join(installedRecipe(recipe), file)], env: { PORT: '0', ...env } });
