/** The checkout to compare with: a folder that is built, or a commit, of which it makes a worktree in `.tenon/compare`. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inRoot, run } from '../../scripts/command.mjs';
import { withLock } from '../../scripts/lock.mjs';
import { isStamped, putStamp } from '../../scripts/stamps.mjs';

export const base = JSON.parse(readFileSync(new URL('../base.json', import.meta.url), 'utf8'));

const shortChars = 7;
/** `.npmrc` has npm silent. */
const quiet = '--loglevel=error';

/** How a commit is named in tables. */
export const shortOf = (commit) => commit.slice(0, shortChars);

/** `wanted` is a folder or a commit; by default the commit of `bench/base.json`. Resolves with `{ name, root }`. */
export async function openCheckout(wanted = base.commit) {
  const folder = resolve(wanted);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folderOf(folder, wanted);
  const commit = await commitOf(wanted);
  return { name: shortOf(commit), root: await withLock(() => worktreeOf(commit)) };
}

function folderOf(folder, name) {
  if (existsSync(join(folder, 'dist/node.js'))) return { name, root: folder };
  throw new Error(`bench: ${folder} is not built: run "npm run build" in it, or name a commit instead`);
}

async function commitOf(wanted) {
  const { ok, output } = await run('git', [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${wanted}^{commit}`,
  ]);
  if (ok) return output.trim();
  throw new Error(`bench: ${wanted} is no folder, and no commit of this repository; if it is an older one: git fetch`);
}

/** Made once for each commit. A stamp in it shows that it is built; without one it is made again. */
async function worktreeOf(commit) {
  const folder = inRoot(`.tenon/compare/${commit}`);
  const stamp = join(folder, '.tenon/built-for-comparison');
  if (isStamped(stamp, commit)) return folder;
  await run('git', ['worktree', 'remove', '--force', '--force', folder]);
  rmSync(folder, { recursive: true, force: true });
  await step(`checkout of ${shortOf(commit)}`, 'git', ['worktree', 'add', '--detach', '--force', folder, commit]);
  // Not `npm ci`: it needs an entry for every platform's optional package, and the lock files have only those of Linux.
  await step('install', 'npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', quiet], folder);
  await step('build', 'npm', ['run', 'build', quiet], folder);
  putStamp(stamp, commit);
  return folder;
}

async function step(name, command, args, cwd) {
  console.error(`bench: ${name} …`);
  const { ok, output } = await run(command, args, { cwd });
  if (!ok) throw new Error(`bench: ${name} failed; fix what "${command} ${args.join(' ')}" reports:\n${output}`);
}
