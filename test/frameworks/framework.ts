/** Runs the framework examples as processes, with the packages that `npm run test:long` installs for them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../architecture/source-tree.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const source = join(root, 'examples/frameworks');
const folder = join(root, '.tenon/frameworks');

/** Why the frameworks cannot run, or `undefined`. */
export function whyNot(): string | undefined {
  const stamp = join(folder, 'node_modules/.tenon-lock');
  const isInstalled =
    existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(join(source, 'package-lock.json'), 'utf8');
  return isInstalled ? undefined : 'the frameworks are not installed: `npm run test:long` does that';
}

/** Copies the examples beside their packages, and Tenon into these as it would be published. */
export function layOut(): void {
  rmSync(join(folder, 'next'), { recursive: true, force: true });
  cpSync(source, folder, { recursive: true });
  const installed = join(folder, 'node_modules/tenon');
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
}

const env = { ...process.env, PORT: '0', NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

/** Runs a command in the folder. Resolves with its exit code and its output. */
export async function runIn(place: string, args: readonly string[]): Promise<readonly [code: number, text: string]> {
  const child = spawn(process.execPath, args, { cwd: join(folder, place), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  return [await withTimeout(ended, `the exit of ${args.join(' ')}`, 600_000), text];
}

export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a program in the folder. Its URL is in the first line of output that has one. */
export async function start(place: string, args: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd: join(folder, place), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} exited with ${code}: ${complaints}`)));
  });
  const url = `${await withTimeout(address, `the URL of ${args.join(' ')}`, 60_000)}/mcp`;
  return { url, stop: () => stopped(child, ended) };
}

async function stopped(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await withTimeout(ended, 'the exit of a framework');
}
