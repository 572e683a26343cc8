/** Finds a Node 24 to repeat tests on, and installs one inside the checkout when it can. */
import { existsSync, mkdirSync } from 'node:fs';
import { inRoot, run } from './command.mjs';

/** The platforms whose binary is an npm package. */
const packaged = new Set(['linux-x64', 'linux-arm64']);

const platform = `${process.platform}-${process.arch}`;
const folder = inRoot('.tenon/node24');
const binary = `${folder}/node_modules/node-${platform}/bin/node`;

/** Resolves with `{ node }`, or with `{ reason }` if there is none. */
export async function findNode24() {
  if (process.versions.node.startsWith('24.')) return { node: process.execPath };
  if (!packaged.has(platform)) return { reason: `no Node 24 package for ${platform}` };
  if (!existsSync(binary)) await install();
  const version = await run(binary, ['--version'], { timeoutMs: 10_000 });
  if (version.ok && version.output.startsWith('v24.')) return { node: binary };
  return { reason: 'Node 24 could not be installed or does not run here' };
}

async function install() {
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node-${platform}@24`];
  // A registry may fail for a moment.
  for (let tries = 0; tries < 3 && !existsSync(binary); tries++) {
    const { ok, output } = await run('npm', args, { timeoutMs: 180_000 });
    if (!ok) console.log(output);
  }
}
