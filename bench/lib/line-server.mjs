/** A server in a child process, spoken to in lines of JSON. */
import { spawn } from 'node:child_process';
import { environment } from './environment.mjs';

const patienceMs = 20_000;
const keptOfStderr = 4000;

/**
 * Starts the command. `ask` settles with the answer to one message, one at a time; `tell` waits for none; `write` and
 * `listen` are for whoever drives the pipe himself. `lost` rejects when the process ends by itself.
 */
export function startLineServer(name, [command, args]) {
  const child = spawn(command, args, { env: environment });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr = (stderr + text).slice(-keptOfStderr)));
  child.stdin.on('error', () => {});
  const lost = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${name} ended (${signal ?? code}): ${stderr}`)));
  });
  // Nobody waits any more when a server is closed on purpose.
  lost.catch(() => {});
  let hear = () => {};
  child.stdout.on('data', (chunk) => hear(chunk));
  const listen = (listener) => (hear = listener);
  const tell = (message) => void child.stdin.write(`${JSON.stringify(message)}\n`);

  async function ask(message) {
    const answer = new Promise((resolve) => {
      let text = '';
      listen((chunk) => {
        text += chunk;
        const lines = text.split('\n');
        text = lines.pop();
        const found = lines.map((line) => JSON.parse(line)).find(({ id, method }) => id === message.id && !method);
        if (found !== undefined) resolve(found);
      });
    });
    tell(message);
    return within(patienceMs, Promise.race([answer, lost]), () => `${name} is silent: ${stderr}`);
  }

  /** Closes standard input and waits until the server has gone by itself. */
  async function end() {
    child.stdin.end();
    await within(
      patienceMs,
      lost.catch(() => {}),
      () => `${name} stays after its input ended: ${stderr}`,
    );
  }

  const write = (bytes) => child.stdin.write(bytes);
  return { pid: child.pid, ask, tell, listen, write, lost, end, close: () => child.kill('SIGKILL') };
}

/** What the promise settles with, unless it takes too long. */
export async function within(ms, promise, explain) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(explain())), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
