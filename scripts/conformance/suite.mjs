/** The official suite: installed beside the checkout, run under Node 24, which it needs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { inRoot, run } from '../command.mjs';
import { findNode24 } from '../node24.mjs';

const version = '0.2.0-alpha.12';
const folder = inRoot('.tenon/conformance');
const suite = `${folder}/node_modules/@modelcontextprotocol/conformance`;

export const requirements = `${suite}/requirements`;
export const results = `${folder}/results`;

/** Scenarios of extensions stand in no set of requirements: they are run by name. */
const extensionScenarios = JSON.parse(readFileSync(inRoot('conformance/extension-scenarios.json'), 'utf8'));

/** Settles with the revisions that the suite has requirements for, and what runs one of them against an address or a command. */
export async function installSuite() {
  const node = await nodeForSuite();
  if (!isInstalled()) await install();
  const revisions = readdirSync(requirements).map((file) => file.replace(/\.yaml$/, ''));
  rmSync(results, { recursive: true, force: true });
  return {
    revisions,
    runAgainst: (url, revision) => runSet(node, url, revision),
    runClient: (command, revision) => runClientSet(node, command, revision),
  };
}

async function nodeForSuite() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const { node, reason } = await findNode24();
  if (node === undefined) throw new Error(`conformance: the suite needs Node 22 or newer: ${reason}`);
  return node;
}

function isInstalled() {
  const facts = `${suite}/package.json`;
  return existsSync(facts) && JSON.parse(readFileSync(facts, 'utf8')).version === version;
}

async function install() {
  console.error(`conformance: installing the suite ${version}`);
  mkdirSync(folder, { recursive: true });
  const name = `@modelcontextprotocol/conformance@${version}`;
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name];
  const { ok, output } = await run('npm', args, { timeoutMs: 300_000 });
  if (!ok) throw new Error(`${output}\nconformance: mend what "npm ${args.join(' ')}" says above and try again`);
}

/** What the suite says of itself is kept for a look when something fails; the results are read from files. */
async function runSet(node, url, revision) {
  const program = [`${suite}/dist/index.js`, 'server', '--url', url, '-o', `${results}/${revision}`];
  await runExtensions(node, program, revision, 'server');
  return run(node, [...program, '--requirements', revision], { timeoutMs: 300_000 });
}

/** No revision has them by itself, so the suite has to be told twice. */
async function runExtensions(node, program, revision, side) {
  for (const name of extensionScenarios[side]) {
    const args = [...program, '--scenario', name, '--spec-version', revision, '--force'];
    await run(node, args, { timeoutMs: 60_000 });
  }
}

/** All scenarios begin at once, which takes a small machine its time. */
async function runClientSet(node, command, revision) {
  const program = [`${suite}/dist/index.js`, 'client', '--command', command, '-o', `${results}/${revision}`];
  await runExtensions(node, program, revision, 'client');
  return run(node, [...program, '--requirements', revision, '--timeout', '120000'], { timeoutMs: 600_000 });
}
