/** The arguments of every server program, and how it reports its port, its heap and its handles. */
import { toolsOf } from '../../lib/tools.mjs';

const [mode = 'stateless', count = '2'] = process.argv.slice(2);

/** Whether clients with a handshake get sessions. */
export const hasSessions = mode === 'sessions';
export const tools = toolsOf(Number(count));

/** Reports the port. The server exits when its driver disconnects. */
export function announce(port) {
  process.on('disconnect', () => process.exit());
  process.send({ port });
  process.on('message', async (command) => {
    if (command === 'end') process.exit();
    process.send({ heap: await heap(), handles: process.getActiveResourcesInfo().length });
  });
}

/** One collection starts finalizers, the next collects what they release. */
async function heap() {
  for (let n = 0; n < 4; n += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

/** Listens with a bare `node:http` server and reports the port. */
export const listen = (server) => server.listen(0, '127.0.0.1', () => announce(server.address().port));
