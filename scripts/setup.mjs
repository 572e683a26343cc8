/** Makes a checkout ready to run: packages as locked, and a build of the sources as they are. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { inRoot, run } from './command.mjs';
import { hashOf, isStamped, putStamp } from './sources.mjs';

const lock = inRoot('package-lock.json');
const lockStamp = inRoot('node_modules/.tenon-lock');
/** Outside `dist`, which is published as it is. */
const buildStamp = inRoot('.tenon/built-from');
const made = [inRoot('src/protocol/generated/checks.ts'), inRoot('dist/index.js')];
const buildInputs = ['src', 'scripts/generate', 'tsdown.config.ts', 'tsconfig.json', 'package.json'];

/** Installs the locked packages and builds, each only when needed; throws when a step fails. */
export async function setUp() {
  await install();
  await build();
}

/**
 * Installs the locked packages unless the lock file is the one they were installed from. Not `npm ci`: it wants an
 * entry for every platform's optional package, also for those that a registry does not carry.
 */
export async function install() {
  if (existsSync(lockStamp) && readFileSync(lockStamp, 'utf8') === readFileSync(lock, 'utf8')) return;
  await step('install', 'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']);
  copyFileSync(lock, lockStamp);
}

/** Builds `dist` unless it was built from these very sources. */
export async function build() {
  const sources = hashOf(buildInputs, (file) => !file.endsWith('.test.ts'));
  if (made.every((file) => existsSync(file)) && isStamped(buildStamp, sources)) return;
  await step('build', 'npm', ['run', '--silent', 'build']);
  putStamp(buildStamp, sources);
}

/** Speaks on stderr alone: stdout may belong to a stdio server. */
async function step(name, command, args) {
  const { ok, seconds, output } = await run(command, args);
  console.error(`setup: ${name} ${ok ? 'done' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  if (ok) return;
  console.error(output);
  throw new Error(`setup: ${name} failed; mend what "${command} ${args.join(' ')}" says above and try again`);
}
