/** Installs missing system programs that tests need, if this process may install them. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';

/** One of the commands is enough; without any, the package is installed. Tests look for the same names. */
const programs = [
  { tests: 'test/browser', commands: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { tests: 'test/node/http-server/tls.test.ts', commands: ['openssl'], package: 'openssl' },
  { tests: 'test/redis', commands: ['redis-server'], package: 'redis-server' },
  { tests: 'test/examples/cluster-nginx.test.ts', commands: ['nginx'], package: 'nginx' },
];

const isInstalled = ({ commands }) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => commands.some((command) => existsSync(join(folder, command))));

/** Prints one line for each program that is still missing: its tests are skipped, and fail in CI. */
export async function provideSystemPackages() {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0) await install(missing.map((program) => program.package));
  for (const { tests, package: name } of missing.filter((program) => !isInstalled(program)))
    console.log(`SKIPPED: ${tests}: ${name} is not installed, and could not be installed with apt-get`);
}

async function install(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env, timeoutMs: 120_000 });
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env, timeoutMs: 240_000 });
}
