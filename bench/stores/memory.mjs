/** The memory of an idle session: in its node, and its record in the store. */
import { openSessions } from '../http/loads.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { startNode } from './calls.mjs';
import { openStore, prepareStore, storeNames } from './subjects.mjs';

/** Opened before the first measurement, so that it includes the compiled code. */
const before = 500;

/** `sessions` are opened over HTTP; `records` are copies of the record of a real session. */
export async function measureMemory(print, { sessions, records }) {
  const rows = [];
  for (const name of storeNames) rows.push({ name, ...(await weigh(name, sessions, records)) });
  print(`### Memory of an idle session: ${count(sessions)} at a node, ${count(records)} in the store`);
  print(
    table(
      ['store', 'heap of the node, bytes', 'in the store, bytes'],
      rows.map(({ name, heap, stored }) => [name, threeFigures(heap), name === 'memory' ? '' : threeFigures(stored)]),
    ),
  );
  return rows;
}

const count = (number) => number.toLocaleString('en-US');

async function weigh(name, sessions, records) {
  const prepared = await prepareStore(name);
  const node = await startNode(prepared.address, ['--expose-gc']);
  try {
    await openSessions(node, before);
    const empty = await node.heap();
    await openSessions(node, sessions);
    const heap = ((await node.heap()) - empty) / sessions;
    return { heap, stored: name === 'memory' ? 0 : await weighRecords(prepared, records) };
  } finally {
    node.close();
    await prepared.close();
  }
}

/** As a node writes it after the handshake of a client. */
const record = {
  head: JSON.stringify({
    revision: 'a version',
    client: { name: 'bench-driver', version: '1.0.0' },
    capabilities: {},
    lists: ['tools', 'resources', 'prompts'],
  }),
  holder: '8chars00',
  ready: '',
};

async function weighRecords(prepared, records) {
  const store = await openStore(prepared.address);
  const expires = Date.now() + 30 * 60_000;
  const empty = prepared.bytes();
  for (let n = 0; n < records; n += 100)
    await Promise.all(Array.from({ length: 100 }, () => store.sessions.create(crypto.randomUUID(), record, expires)));
  const bytes = (prepared.bytes() - empty) / records;
  await store.close();
  return bytes;
}
