/** A server in a child process that reads and writes lines of JSON. */
import { spawn } from 'node:child_process';
import { environment } from './environment.mjs';

const patienceMs = 20_000;
const maxStderrChars = 4000;

/**
 * Starts the command. `request` resolves with the answer to one message, one at a time. `notify` expects no answer.
 * `write` and `listen` are for a driver that uses the pipe directly. `lost` rejects when the process exits by itself.
 */
export function startLineServer(name, [command, args]) {
  const child = spawn(command, args, { env: environment });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr = (stderr + text).slice(-maxStderrChars)));
  child.stdin.on('error', () => {});
  const lost = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${name} exited (${signal ?? code}): ${stderr}`)));
  });
  // Prevents an unhandled rejection when a server is closed on purpose.
  lost.catch(() => {});
  let receive = () => {};
  child.stdout.on('data', (chunk) => receive(chunk));
  const listen = (listener) => (receive = listener);
  const notify = (message) => void child.stdin.write(`${JSON.stringify(message)}\n`);

  async function request(message) {
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
    notify(message);
    return within(patienceMs, Promise.race([answer, lost]), () => `${name} does not answer: ${stderr}`);
  }

  /** Closes standard input and waits until the server has exited by itself. */
  async function end() {
    child.stdin.end();
    await within(
      patienceMs,
      lost.catch(() => {}),
      () => `${name} still runs after its input ended: ${stderr}`,
    );
  }

  const write = (bytes) => child.stdin.write(bytes);
  return { pid: child.pid, request, notify, listen, write, lost, end, close: () => child.kill('SIGKILL') };
}

/** The result of the promise, or an error when it takes too long. */
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
