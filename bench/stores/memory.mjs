/** The memory of an idle session: in its node, and in the store. */
import { openSessions } from '../http/loads.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { startNode } from './calls.mjs';
import { prepareStore, storeNames } from './subjects.mjs';

/** Opened before the first measurement, so that it includes the compiled code. */
const before = 500;

export async function measureMemory(print, { sessions }) {
  const rows = [];
  for (const name of storeNames) rows.push({ name, ...(await weigh(name, sessions)) });
  print(`### Memory of an idle session, ${sessions.toLocaleString('en-US')} of them`);
  print(
    table(
      ['store', 'heap of the node, bytes', 'in the store, bytes'],
      rows.map(({ name, heap, stored }) => [name, threeFigures(heap), name === 'memory' ? '' : threeFigures(stored)]),
    ),
  );
  return rows;
}

async function weigh(name, sessions) {
  const prepared = await prepareStore(name);
  const node = await startNode(prepared.address, ['--expose-gc']);
  try {
    await openSessions(node, before);
    const [emptyHeap, emptyStore] = [await node.heap(), prepared.bytes()];
    await openSessions(node, sessions);
    const heap = ((await node.heap()) - emptyHeap) / sessions;
    return { heap, stored: (prepared.bytes() - emptyStore) / sessions };
  } finally {
    node.close();
    await prepared.close();
  }
}
