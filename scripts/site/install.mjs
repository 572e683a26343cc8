/** Installs the packages of the site, unless they were installed from the same lock file. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { inRoot, run } from '../command.mjs';

const lock = inRoot('site/package-lock.json');
const stamp = inRoot('site/node_modules/.tenon-lock');

/** Resolves with the reason if they could not be installed. */
export async function installSite() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return undefined;
  console.error('site: installing VitePress');
  const args = ['install', '--prefix', 'site', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, output } = await run('npm', args, { timeoutMs: 300_000 });
  if (!ok) return `${output}\nsite: fix what "npm ${args.join(' ')}" reports above and try again`;
  copyFileSync(lock, stamp);
  return undefined;
}
