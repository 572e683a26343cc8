/** A registry of this machine, started for a test: packages of this repository are published to it, others come through it. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../architecture/source-tree.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const execute = promisify(execFile);
const installed = join(root, '.tenon/registry/node_modules');
const lock = join(root, 'test/publish/registry/package-lock.json');

/** Why there is no registry, or `undefined`. */
export function whyNoRegistry(): string | undefined {
  const stamp = join(installed, '.tenon-lock');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  return isInstalled ? undefined : 'the registry is not installed: `npm run test:long` does that';
}

export interface Registry {
  /** A folder that is empty but for what the registry and npm write into folders of their own. */
  readonly folder: string;
  /** Runs a program with this registry and an empty cache; resolves to what it prints, rejects if it fails. */
  run(command: string, args: readonly string[], cwd?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-registry-'));
  const own = join(folder, '.registry');
  await mkdir(own);
  const port = await freePort();
  const [upstream, cafile] = [await npmSetting('registry'), await npmSetting('cafile')];
  await writeFile(join(own, 'config.yaml'), configuration(upstream));
  // npm publishes with a token; this registry accepts any.
  await writeFile(join(own, 'npmrc'), `//127.0.0.1:${port}/:_authToken=any\n`);
  const listen = `127.0.0.1:${port}`;
  const args = ['--config', join(own, 'config.yaml'), '--listen', listen];
  const child = fork(join(installed, 'verdaccio/bin/verdaccio'), args, {
    cwd: own,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, ...(existsSync(cafile) && { NODE_EXTRA_CA_CERTS: cafile }) },
  });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  // A process that was forked gets a message once the registry listens.
  const isListening = Promise.race([once(child, 'message').then(() => true), ended.then(() => false)]);
  if (!(await withTimeout(isListening, 'the registry', 300_000).catch(() => false))) {
    await close();
    throw new Error('The registry did not start: above is what it printed.');
  }
  const env = {
    ...withoutNpm(process.env),
    npm_config_registry: `http://${listen}/`,
    npm_config_cache: join(own, 'cache'),
    npm_config_userconfig: join(own, 'npmrc'),
    npm_config_noproxy: '127.0.0.1',
    npm_config_yes: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    // As for a new user: nothing of this program is stored yet.
    XDG_CONFIG_HOME: join(own, 'config'),
  };
  return {
    folder,
    run: async (command, args, cwd = folder) => (await execute(command, [...args], { cwd, env })).stdout,
    close,
  };
}

const npmSetting = async (name: string): Promise<string> =>
  (await execute('npm', ['config', 'get', name])).stdout.trim();

/** Our packages are here alone; all others are those of the registry that npm uses on this machine. */
const configuration = (upstream: string): string => `
storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
uplinks: { upstream: { url: ${JSON.stringify(upstream)}, timeout: 60s, max_fails: 100 } }
packages:
  'tenon': { access: $all, publish: $all }
  'create-tenon': { access: $all, publish: $all }
  'tenon-migrate': { access: $all, publish: $all }
  '@*/*': { access: $all, proxy: upstream }
  '**': { access: $all, proxy: upstream }
web: { enable: false }
log: { type: stdout, level: error }
`;

/** Settings of the npm that runs the tests do not reach the npm of the test. */
const withoutNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_|^(?:TSX_TSCONFIG_PATH|NODE_OPTIONS|NODE_ENV|VITEST)$/i.test(name)),
  );

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
