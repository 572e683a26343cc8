/** Runs a command until it exits and reports the outcome. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The path of a tool installed in this repository. */
export const tool = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/** The path of a file in this repository. */
export const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** `output: 'collect'` returns the output of the command, `'show'` passes it on, `'stderr'` passes all of it to stderr. */
const channels = {
  collect: ['ignore', 'pipe', 'pipe'],
  show: ['ignore', 'inherit', 'inherit'],
  stderr: ['ignore', 2, 2],
};

/** Resolves to `{ ok, seconds, output }`; never throws for a command that fails. `cwd` is the checkout by default. */
export function run(command, args, { output = 'collect', env = {}, timeoutMs, cwd = root } = {}) {
  const started = performance.now();
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, stdio: channels[output], timeout: timeoutMs };
    const child = spawn(command, args, options);
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const finish = (ok, last = '') => {
      const text = Buffer.concat(chunks).toString('utf8') + last;
      resolve({ ok, seconds: (performance.now() - started) / 1000, output: text });
    };
    child.on('error', (error) => finish(false, `${command}: ${error.message}\n`));
    child.on('close', (code, signal) => finish(code === 0, signal === null ? '' : `${command}: ended by ${signal}\n`));
  });
}
