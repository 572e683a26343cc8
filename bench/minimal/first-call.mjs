/** Starts a server and makes its first call: proves that a program works, and measures the time until then. */
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { processorMs } from '../lib/processor-time.mjs';

/** From the spawn of Node with this file to the answer of a call after the handshake. Throws if 2 + 3 is not 5. */
export async function firstCall(name, file) {
  const started = performance.now();
  const server = startLineServer(name, [process.execPath, [file]]);
  try {
    await lifecycles.session.open(server);
    const { result, error } = await server.request(lifecycles.session.call(1, 'add', { a: 2, b: 3 }));
    const ms = performance.now() - started;
    const cpuMs = processorMs(server.pid);
    if (result?.content?.[0]?.text !== '5') throw new Error(`${name}: 2 and 3 gave ${JSON.stringify(result ?? error)}`);
    return { count: 1, ms, cpuMs };
  } finally {
    server.close();
  }
}
