/** Installs missing system programs that tests need, if this process may install them. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';

/** One of the commands is enough; without any, the package is installed. Tests look for the same names. */
const programs = [
  { tests: 'test/browser', commands: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { tests: 'test/node/http-server/tls.test.ts', commands: ['openssl'], package: 'openssl' },
  { tests: 'test/redis', commands: ['redis-server'], package: 'redis-server' },
  { tests: 'test/postgres', commands: ['initdb'], package: 'postgresql' },
  { tests: 'test/examples/cluster-nginx.test.ts', commands: ['nginx'], package: 'nginx' },
];

/** Debian has the programs of PostgreSQL in a folder for each version. */
const postgres = '/usr/lib/postgresql';

const folders = () => [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync(postgres) ? readdirSync(postgres).map((version) => join(postgres, version, 'bin')) : []),
];

const isInstalled = ({ commands }) =>
  folders().some((folder) => commands.some((command) => existsSync(join(folder, command))));

/** Prints one line for each program that is still missing: its tests are skipped, and fail in CI. */
export async function provideSystemPackages() {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0) await install(missing.map((program) => program.package));
  for (const { tests, package: name } of missing.filter((program) => !isInstalled(program)))
    console.log(`SKIPPED: ${tests}: ${name} is not installed, and could not be installed with apt-get`);
}

async function install(packages) {
  if (packages.includes('postgresql')) withoutCluster();
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env, timeoutMs: 120_000 });
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env, timeoutMs: 240_000 });
}

/** Tests start servers of their own: the package must not start one. */
function withoutCluster() {
  const settings = '/etc/postgresql-common/createcluster.conf';
  mkdirSync('/etc/postgresql-common', { recursive: true });
  if (!existsSync(settings)) writeFileSync(settings, 'create_main_cluster = false\n');
}
