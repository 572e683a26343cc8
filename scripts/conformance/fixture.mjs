/** Runs the fixture server as a process, alone or behind a gateway. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from '../command.mjs';
import { bundleStdioServer } from './client.mjs';

const startTimeoutMs = 30_000;

/** `output: 'read'` pipes its standard output to this process, `'show'` passes it on. */
export function spawnFixture({ output = 'show', env = {}, program = 'server' } = {}) {
  const args = ['--import', 'tsx', `conformance/${program}.ts`];
  const stdio = ['ignore', output === 'show' ? 'inherit' : 'pipe', 'inherit'];
  return spawn(process.execPath, args, { cwd: root, stdio, env: { ...process.env, ...env } });
}

/** Starts it on a free port. Resolves with its URL and a function that stops it. `program`: a file of `conformance/`. */
export async function startFixture({ env = {}, program = 'server' } = {}) {
  const child = spawnFixture({ output: 'read', env: { ...env, PORT: '0' }, program });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const bound = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ready (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    clearTimeout(bound);
    return { url, stop };
  }
  clearTimeout(bound);
  throw new Error('conformance: the fixture exited before it was ready; see its output above');
}

/** Starts a gateway in front of it, which speaks the revision to it by HTTP or stdio. */
export async function startGateway(revision, transport) {
  const behind = transport === 'stdio' ? { UPSTREAM_PROGRAM: await bundleStdioServer() } : {};
  return startFixture({ program: 'gateway', env: { UPSTREAM_VERSION: revision, ...behind } });
}
