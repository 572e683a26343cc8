/** `npm run bench`: sets up, installs the packages of the benchmarks when needed, and runs the given topics. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { inRoot, run } from './command.mjs';
import { setUp } from './setup.mjs';

const lock = inRoot('bench/package-lock.json');
const stamp = inRoot('bench/node_modules/.tenon-lock');

async function installPackages() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return;
  console.error('bench: installing the packages for comparison');
  const args = ['install', '--prefix', 'bench', '--no-save', '--no-audit', '--no-fund'];
  const { ok, output } = await run('npm', args);
  if (!ok) throw new Error(`${output}\nbench: fix what "npm ${args.join(' ')}" reports above and try again`);
  copyFileSync(lock, stamp);
}

try {
  await setUp();
  await installPackages();
  const { ok } = await run(process.execPath, ['bench/main.mjs', ...process.argv.slice(2)], { output: 'show' });
  if (!ok) process.exitCode = 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
