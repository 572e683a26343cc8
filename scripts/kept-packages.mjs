/** Installs the packages of the framework examples in `.tenon`, only for their test. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { inRoot, run } from './command.mjs';

const folder = inRoot('.tenon/frameworks');
const lock = inRoot('examples/frameworks/package-lock.json');
const stamp = `${folder}/node_modules/.tenon-lock`;

/** Resolves with the reason why they could not be installed, or `undefined`. */
export async function installFrameworks() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(inRoot(`examples/frameworks/${name}`), `${folder}/${name}`);
  }
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, output } = await run('npm', args, { timeoutMs: 180_000 });
  if (!ok) return `npm could not install them: ${output.trim().split('\n')[0]}`;
  copyFileSync(lock, stamp);
  return undefined;
}
