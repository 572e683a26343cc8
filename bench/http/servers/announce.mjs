/** What every server program is told, and how it says that it is ready and what it weighs. */
import { toolsOf } from '../../lib/tools.mjs';

const [mode = 'stateless', count = '2'] = process.argv.slice(2);

/** Whether clients with a handshake get sessions. */
export const keepsSessions = mode === 'sessions';
export const tools = toolsOf(Number(count));

/** A server whose driver has gone goes too. */
export function announce(port) {
  process.on('disconnect', () => process.exit());
  process.send({ port });
  process.on('message', async (asked) => {
    if (asked === 'end') process.exit();
    process.send({ heap: await heap() });
  });
}

/** One collection starts finalisers, the next collects what they let go. */
async function heap() {
  for (let n = 0; n < 4; n += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

/** Listens with a bare `node:http` server and says where. */
export const listen = (server) => server.listen(0, '127.0.0.1', () => announce(server.address().port));
