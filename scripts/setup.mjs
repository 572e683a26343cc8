/** Prepares a checkout: the locked packages, the generated sources and the build, each only when it is out of date. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot, run } from './command.mjs';
import { withLock } from './lock.mjs';
import { linkOwnCommand } from './own-command.mjs';
import { hashOf, isStamped, putStamp } from './stamps.mjs';

const packageLock = inRoot('package-lock.json');

/** Both contain the installed lock file. They are deleted with the packages. */
const fullStamp = inRoot('node_modules/.tenon-lock');
const demoStamp = inRoot('node_modules/.tenon-lock-demo');

/** What `npm start` needs besides the package's own dependencies. */
const demoPackages = JSON.parse(readFileSync(inRoot('scripts/demo-packages.json'), 'utf8'));

const generatedStamp = inRoot('.tenon/generated-from');
const generated = inRoot('src/protocol/generated/checks.ts');
const generatorInputs = ['src/protocol', 'scripts/generate', 'package.json'];

/** Outside `dist`, which is published as it is. */
const buildStamp = inRoot('.tenon/built-from');
const built = inRoot('dist/index.js');
const buildInputs = [
  'src',
  'packages/tenon-migrate/src',
  'packages/tenon-migrate/tsdown.config.ts',
  'scripts/generate',
  'scripts/build',
  'tsdown.config.ts',
  'tsconfig.json',
  'package.json',
];

/** The page of the inspector. `npm start` builds it after the demo is ready. */
const pageStamp = inRoot('.tenon/page-built-from');
const page = inRoot('dist/inspector/index.html');
const pageInputs = ['apps/inspector', 'src/json-schema', 'src/protocol/uri-template', 'package.json'];

/** Everything but the demo needs this. Throws when a step fails. */
export async function setUp() {
  await install();
  await build();
}

/** What `npm start` needs: a tenth of the packages and no build, because the demo runs from the sources. */
export async function setUpDemo() {
  await withLock(async () => {
    await installForDemo();
    await generateSources();
    linkOwnCommand(inRoot('node_modules/.bin'));
  });
}

/** For the demo, which serves the page as soon as it is built. */
export const buildInspector = () => withLock(buildPage);

export const install = () =>
  withLock(async () => {
    await installAll();
    linkOwnCommand(inRoot('node_modules/.bin'));
  });

export const build = () =>
  withLock(async () => {
    await buildPackage();
    await buildPage();
  });

export const generate = () => withLock(generateSources);

/**
 * Installs the locked packages unless they were installed from the same lock file. Not `npm ci`: it needs an
 * entry for every platform's optional package, also for those that a registry does not carry.
 */
async function installAll() {
  if (isInstalled(fullStamp)) return;
  await npmInstall('install');
  rmSync(demoStamp, { force: true });
  writeFileSync(fullStamp, lockText());
}

async function installForDemo() {
  if (isInstalled(fullStamp) || isInstalled(demoStamp)) return;
  // Installing a part of the packages removes the others, so an existing full installation stays.
  const isFresh = !existsSync(inRoot('node_modules')) || existsSync(demoStamp);
  if (!isFresh) return installAll();
  const { packages } = JSON.parse(lockText());
  const extra = demoPackages.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  await npmInstall('install of the demo', '--omit=dev', '--save-prod', ...extra);
  writeFileSync(demoStamp, lockText());
}

const npmInstall = (name, ...more) =>
  step(name, 'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...more], {
    about: ', which takes about a minute',
    tries: installTries,
  });

const lockText = () => readFileSync(packageLock, 'utf8');

const isInstalled = (stamp) => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockText();

async function generateSources() {
  const sources = hashOf(generatorInputs, isNoTest);
  if (existsSync(generated) && isStamped(generatedStamp, sources)) return;
  await step('generate', process.execPath, ['--import', 'tsx', 'scripts/generate/main.ts']);
  putStamp(generatedStamp, sources);
}

/** Builds `dist` unless it was built from the same sources. */
async function buildPackage() {
  await generateSources();
  const sources = hashOf(buildInputs, isNoTest);
  if (existsSync(built) && isStamped(buildStamp, sources)) return;
  await step('build', inRoot('node_modules/.bin/tsdown'), []);
  const migrate = ['--config', 'packages/tenon-migrate/tsdown.config.ts'];
  await step('build of tenon-migrate', inRoot('node_modules/.bin/tsdown'), migrate);
  putStamp(buildStamp, sources);
}

/** Builds `dist/inspector` unless it was built from the same sources. After the package, whose build empties `dist`. */
async function buildPage() {
  const sources = hashOf(pageInputs, isNoTest);
  if (existsSync(page) && isStamped(pageStamp, sources)) return;
  await step('build of the inspector', inRoot('node_modules/.bin/vite'), ['build', 'apps/inspector']);
  putStamp(pageStamp, sources);
}

const isNoTest = (file) => !file.endsWith('.test.ts');

/** A registry may fail for a moment. */
const installTries = 3;

/** Says what it begins, since some steps take a minute. Writes to stderr only: stdout may belong to a stdio server. */
async function step(name, command, args, { about = '', tries = 1 } = {}) {
  console.error(`setup: ${name}${about} …`);
  const { ok, seconds, output } = await run(command, args);
  console.error(`setup: ${name} ${ok ? 'done' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  if (ok) return;
  console.error(output);
  if (tries > 1) return step(name, command, args, { about, tries: tries - 1 });
  throw new Error(`setup: ${name} failed; fix what "${command} ${args.join(' ')}" reports above and try again`);
}
