/** A server in a child process that answers on a port of its own choice. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { environment } from './environment.mjs';
import { within } from './line-server.mjs';

const patienceMs = 30_000;
const keptOfStderr = 4000;

/**
 * Starts the command, whose program says its port by `announce` (see `http/servers/announce.mjs`). `post` settles with
 * `{ status, headers, text }`; `heap` with the bytes that live; `lost` rejects when the process ends by itself.
 */
export async function startHttpServer(name, [command, args]) {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr = (stderr + text).slice(-keptOfStderr)));
  const lost = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${name} ended (${signal ?? code}): ${stderr}`)));
  });
  // Nobody waits any more when a server is closed on purpose.
  lost.catch(() => {});
  const hear = () =>
    within(
      patienceMs,
      Promise.race([new Promise((resolve) => child.once('message', resolve)), lost]),
      () => `${name} is silent: ${stderr}`,
    );
  const agent = new Agent({ keepAlive: true });
  const close = () => {
    agent.destroy();
    child.kill('SIGKILL');
  };
  try {
    const { port } = await hear();
    return {
      pid: child.pid,
      port,
      lost,
      close,
      post: (headers, message) => within(patienceMs, post(agent, port, headers, message), () => `${name} is silent`),
      /** Connections that were kept open would weigh too. */
      async heap() {
        agent.destroy();
        const told = hear();
        child.send('weigh');
        return (await told).heap;
      },
      /** Asks the program to go by itself, so that it can write a profile. */
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
