/** One subject: nodes that share a store, with sessions that each of them serves. Its time is that of the nodes and the store. */
import { fileURLToPath } from 'node:url';
import { connections, createDriver } from '../http/driver.mjs';
import { loads, openSessions, requestsOf } from '../http/loads.mjs';
import { startHttpServer } from '../lib/http-server.mjs';
import { nodeCommand } from '../lib/pinning.mjs';
import { prepareStore } from '../stores/subjects.mjs';

const program = fileURLToPath(new URL('../stores/servers/node.mjs', import.meta.url));
const load = loads[2];

export async function openNodes(name, storeName, size) {
  const store = await prepareStore(storeName);
  const nodes = [];
  const close = async () => {
    for (const node of nodes) node.close();
    await store.close();
  };
  try {
    while (nodes.length < size)
      nodes.push(await startHttpServer(`${name}, node`, nodeCommand([program, 'sessions', '2', store.address])));
    const sessions = await openSessions(nodes[0], load.sessions);
    const drivers = [];
    for (const node of nodes)
      drivers.push(createDriver(node, await requestsOf(load, node, sessions), Math.floor(connections / size)));
    return { name, close, slice: (ms) => sliceOf(drivers, store, ms) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All nodes at once. */
async function sliceOf(drivers, store, ms) {
  const before = store.cpuMs();
  const slices = await Promise.all(drivers.map((drive) => drive(ms)));
  const sum = (figure) => slices.reduce((total, slice) => total + slice[figure], 0);
  return {
    count: sum('count'),
    ms: Math.max(...slices.map((slice) => slice.ms)),
    cpuMs: sum('cpuMs') + store.cpuMs() - before,
  };
}
