/** Makes a checkout ready to run: packages as locked, and a build of the sources as they are. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { inRoot, run } from './command.mjs';

const lock = inRoot('package-lock.json');
const lockStamp = inRoot('node_modules/.tenon-lock');
const buildStamp = inRoot('dist/.tenon-sources');
const generated = inRoot('src/protocol/generated/checks.ts');
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
  await step('install', 'npm', ['install', '--no-save', '--no-audit', '--no-fund']);
  copyFileSync(lock, lockStamp);
}

/** Builds `dist` unless it was built from these very sources. */
export async function build() {
  const sources = hashOf(buildInputs);
  if (existsSync(generated) && existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === sources) return;
  await step('build', 'npm', ['run', '--silent', 'build']);
  writeFileSync(buildStamp, sources);
}

/** Speaks on stderr alone: stdout may belong to a stdio server. */
async function step(name, command, args) {
  const { ok, seconds, output } = await run(command, args);
  console.error(`setup: ${name} ${ok ? 'done' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  if (ok) return;
  console.error(output);
  throw new Error(`setup: ${name} failed; mend what "${command} ${args.join(' ')}" says above and try again`);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder).sort()) hash.update(`${file}\0`).update(readFileSync(inRoot(file)));
  return hash.digest('hex');
}

/** Tests do not reach the build, and generated files follow from the rest. */
function filesUnder(path) {
  if (!existsSync(inRoot(path))) return [];
  if (statSync(inRoot(path)).isFile()) return [path];
  return readdirSync(inRoot(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(inRoot('').length))
    .filter((file) => !file.split(sep).includes('generated'));
}
