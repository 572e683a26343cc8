/** Calls over HTTP on one node and on three that share a store: processor time and store commands of one call. */
import { fileURLToPath } from 'node:url';
import { openSessions } from '../http/loads.mjs';
import { messageIn } from '../http/response.mjs';
import { startHttpServer } from '../lib/http-server.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { processorMs } from '../lib/processor-time.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { isServer, prepareStore, storeNames } from './subjects.mjs';

const program = fileURLToPath(new URL('./servers/node.mjs', import.meta.url));
const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const together = 16;

const { session, exchange } = lifecycles;
const alone = (name) => ({ 'mcp-protocol-version': exchange.revision, 'mcp-method': 'tools/call', 'mcp-name': name });

/** What is sent as call number n, in a session or alone. */
const loads = [
  { title: 'call, alone', make: (n) => [alone('add'), exchange.call(n, 'add', { a: n, b: 7 })] },
  {
    title: 'call with a new key, alone',
    make: (n, run) => [
      alone('add'),
      exchange.call(n, 'add', { a: n, b: 7 }, { 'dev.tenon/idempotency-key': `${run} ${n}` }),
    ],
  },
  { title: 'call in a session', inSession: true, make: (n) => [{}, session.call(n, 'add', { a: n, b: 7 })] },
  {
    title: 'call with 3 progress events in a session',
    inSession: true,
    make: (n) => [{}, session.call(n, 'progress', { a: n, b: 7 }, { progressToken: n })],
  },
];

export async function startNode(address, nodeArgs = []) {
  const command = [process.execPath, [...nodeArgs, program, 'sessions', '2', address]];
  const node = await startHttpServer(`node on ${address}`, command);
  // On a busy machine a connection may be idle for longer than the server keeps it.
  const post = (...given) => node.post(...given).catch(() => node.post(...given));
  return { ...node, post };
}

export async function measureCalls(print, { count, sessions, stores = storeNames }) {
  const rows = [];
  for (const name of stores) {
    for (const size of name === 'memory' ? [1] : [1, 3]) {
      const prepared = await prepareStore(name);
      const nodes = await Promise.all(Array.from({ length: size }, () => startNode(prepared.address)));
      try {
        const opened = await openSessions(nodes[0], sessions);
        for (const load of loads)
          rows.push({ store: name, nodes: size, ...(await measure(load, nodes, prepared, opened, count)) });
      } finally {
        for (const node of nodes) node.close();
        await prepared.close();
      }
    }
  }
  print(`### Calls over HTTP, each at the next node, ${together} at once, ${sessions} sessions`);
  print(
    table(
      ['call', 'store', 'nodes', 'CPU µs of the nodes', 'CPU µs of the store', 'commands to it'],
      rows.map(({ title, store, nodes, cpuMicros, storeMicros, commands }) => [
        title,
        store,
        nodes,
        threeFigures(cpuMicros),
        isServer(store) ? threeFigures(storeMicros) : '',
        isServer(store) ? threeFigures(commands) : '',
      ]),
    ),
  );
  return rows;
}

let run = 0;

async function measure({ title, make, inSession = false }, nodes, store, opened, count) {
  const send = async (n) => {
    const [headers, message] = make(n, run);
    const own = inSession ? opened[n % opened.length] : {};
    const { status, text } = await nodes[n % nodes.length].post({ ...plain, ...headers, ...own }, message);
    const result = status === 200 ? messageIn(text).result : undefined;
    if (result?.content?.[0]?.text !== String(n + 7)) throw new Error(`wrong answer: ${status} ${text.slice(0, 500)}`);
  };
  // A first part warms up the code, and resumes the sessions at every node.
  await batch(send, Math.max(count / 4, 2 * opened.length * nodes.length));
  run++;
  const usage = () => ({ ...store.usage(), nodesMs: nodes.reduce((sum, { pid }) => sum + processorMs(pid), 0) });
  const before = usage();
  await batch(send, count);
  const after = usage();
  run++;
  return {
    title,
    cpuMicros: ((after.nodesMs - before.nodesMs) / count) * 1000,
    storeMicros: ((after.cpuMs - before.cpuMs) / count) * 1000,
    commands: (after.commands - before.commands) / count,
  };
}

async function batch(send, count) {
  let next = 0;
  const worker = async () => {
    while (next < count) await send(++next);
  };
  await Promise.all(Array.from({ length: together }, worker));
}
