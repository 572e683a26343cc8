/** Runs the fixture server as a process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from '../command.mjs';

const program = ['--import', 'tsx', 'conformance/server.ts'];
const startTimeoutMs = 30_000;

/** `output: 'read'` pipes its standard output to this process, `'show'` passes it on. */
export function spawnFixture({ output = 'show', env = {} } = {}) {
  const stdio = ['ignore', output === 'show' ? 'inherit' : 'pipe', 'inherit'];
  return spawn(process.execPath, program, { cwd: root, stdio, env: { ...process.env, ...env } });
}

/** Starts it on a free port. Resolves with its URL and a function that stops it. */
export async function startFixture() {
  const child = spawnFixture({ output: 'read', env: { PORT: '0' } });
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
