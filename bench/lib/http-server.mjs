/** A server in a child process. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { environment } from './environment.mjs';
import { within } from './line-server.mjs';

const patienceMs = 30_000;
const maxStderrChars = 4000;

/**
 * Starts the command, which reports its port with `announce` (see `http/servers/announce.mjs`), or listens on that of the
 * options. `post` resolves with
 * `{ status, headers, text }`, `heap` with the bytes of live heap, `weigh` with `{ heap, handles }`. `lost` rejects when the process exits by itself.
 */
export async function startHttpServer(name, [command, args], { port: chosen } = {}) {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr = (stderr + text).slice(-maxStderrChars)));
  const lost = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${name} exited (${signal ?? code}): ${stderr}`)));
  });
  // Prevents an unhandled rejection when a server is closed on purpose.
  lost.catch(() => {});
  const nextMessage = () =>
    within(
      patienceMs,
      Promise.race([new Promise((resolve) => child.once('message', resolve)), lost]),
      () => `${name} does not answer: ${stderr}`,
    );
  // Node's servers close an idle connection after 5 s: it is closed here before that, so that no request meets one that closes.
  const agent = new Agent({ keepAlive: true, timeout: 3000 });
  /** Open connections would count too, so they are closed first. */
  const weigh = async () => {
    agent.destroy();
    const reply = nextMessage();
    child.send('weigh');
    return reply;
  };
  const close = () => {
    agent.destroy();
    child.kill('SIGKILL');
  };
  try {
    const { port } = chosen === undefined ? await nextMessage() : { port: chosen };
    if (chosen !== undefined)
      await within(patienceMs, Promise.race([listening(port), lost]), () => `${name} does not listen: ${stderr}`);
    return {
      pid: child.pid,
      port,
      lost,
      close,
      post: (headers, message) =>
        within(patienceMs, post(agent, port, headers, message), () => `${name} does not answer`),
      heap: async () => (await weigh()).heap,
      weigh,
      /** Makes the program exit by itself, so that it can write a profile. */
      async end() {
        child.send('end');
        await lost.catch(() => {});
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Tries again until something accepts a connection. */
async function listening(port) {
  const isListening = () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  while (!(await isListening())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const post = (agent, port, headers, message) =>
  new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(message));
  });
