/** The official suite: installed in `.tenon`, run under Node 22 or newer, which it needs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { inRoot, run } from '../command.mjs';
import { findNode24 } from '../node24.mjs';

const version = '0.2.0-alpha.12';
const folder = inRoot('.tenon/conformance');
const suite = `${folder}/node_modules/@modelcontextprotocol/conformance`;

export const requirements = `${suite}/requirements`;
export const results = `${folder}/results`;
const program = `${suite}/dist/index.js`;

/** Scenarios of extensions are in no set of requirements: they are run by name. */
const extensionScenarios = JSON.parse(readFileSync(inRoot('conformance/extension-scenarios.json'), 'utf8'));

/**
 * Resolves with the revisions of the suite, and functions that run one of them against a URL or a command. Results of an
 * earlier run are deleted. `name` is the folder of those of one set, `scenario` that of a single scenario.
 */
export async function installSuite(into = results) {
  const node = await nodeForSuite();
  if (!isInstalled()) await install();
  const revisions = readdirSync(requirements).map((file) => file.replace(/\.yaml$/, ''));
  rmSync(into, { recursive: true, force: true });
  return {
    revisions,
    runAgainst: (url, revision, name = revision) => runSet(node, url, revision, `${into}/${name}`),
    runScenario: (url, revision, scenario) =>
      run(node, [program, 'server', '--url', url, '-o', into, '--scenario', scenario, '--spec-version', revision], {
        timeoutMs: 60_000,
      }),
    runClient: (client, revision) => runClientSet(node, client, revision),
    runAuthorization: () => runAuthorizationScenarios(node),
  };
}

async function nodeForSuite() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const { node, reason } = await findNode24();
  if (node === undefined) throw new Error(`conformance: the suite needs Node 22 or newer: ${reason}`);
  return node;
}

function isInstalled() {
  const manifest = `${suite}/package.json`;
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
}

async function install() {
  console.error(`conformance: installing the suite ${version}`);
  mkdirSync(folder, { recursive: true });
  const name = `@modelcontextprotocol/conformance@${version}`;
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name];
  const { ok, output } = await run('npm', args, { timeoutMs: 300_000 });
  if (!ok) throw new Error(`${output}\nconformance: fix what "npm ${args.join(' ')}" reports above and try again`);
}

/** Resolves with the output of the suite, for debugging. The results are read from its files. */
async function runSet(node, url, revision, into) {
  const command = [program, 'server', '--url', url, '-o', into];
  await runExtensions(node, command, revision, 'server');
  return run(node, [...command, '--requirements', revision], { timeoutMs: 300_000 });
}

/** No revision contains them, so the suite needs both the revision and `--force`. */
async function runExtensions(node, command, revision, side) {
  for (const name of extensionScenarios[side]) {
    const args = [...command, '--scenario', name, '--spec-version', revision, '--force'];
    await run(node, args, { timeoutMs: 60_000 });
  }
}

/** All scenarios start at once, which takes long on a small machine. */
async function runClientSet(node, client, revision) {
  const command = [program, 'client', '--command', client, '-o', `${results}/${revision}`];
  await runExtensions(node, command, revision, 'client');
  return run(node, [...command, '--requirements', revision, '--timeout', '120000'], { timeoutMs: 600_000 });
}

/** The fixture starts the suite, because it has to sign in for it. */
function runAuthorizationScenarios(node) {
  const command = [program, 'authorization', '-o', `${results}/authorization`];
  const fixture = ['--import', 'tsx', inRoot('conformance/authorization.ts')];
  return run(process.execPath, [...fixture, node, ...command], { timeoutMs: 120_000 });
}
