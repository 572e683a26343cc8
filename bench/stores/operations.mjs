/** Operations of a store in one process: how many a second, the processor time of the process, and the commands to a server. */
import { short, table, threeFigures } from '../lib/report.mjs';
import { isServer, openStore, prepareStore, storeNames } from './subjects.mjs';

const limits = { maxStreamChars: 1e6, maxSessionChars: 4e6, maxTotalStoredChars: 1e9, maxStreams: 64 };
const head = JSON.stringify({
  revision: 'x',
  client: { name: 'bench', version: '1' },
  capabilities: {},
  lists: ['tools'],
});
const event = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: 1 },
});
const streams = 100;
const later = () => Date.now() + 3_600_000;
const run = (n) => ({ digest: 'd', holder: `h${n}`, leaseMs: 30_000, ttlMs: 600_000 });

/** Each does operation number n. A stream that is resumed has ten events. */
const operations = [
  ['create a session', (store, n) => store.sessions.create(`s${n}`, { head, holder: 'n' }, later())],
  ['read a session', (store, n) => store.sessions.read(`s${n}`)],
  ['append an event', (store, n) => store.events.append(`s${n % streams}`, `t${n % streams}`, event, limits)],
  ['resume a stream', (store, n) => store.events.readAfter(`s${n % streams}`, `t${n % streams}`, 1)],
  ['begin an idempotent call', (store, n) => store.once.begin('owner', `k${n}`, run(n))],
  ['end an idempotent call', (store, n) => store.once.end('owner', `k${n}`, run(n), event)],
];

/** `count` of each; `together` of them at once. */
export async function measureOperations(print, { count, together }) {
  const results = [];
  for (const name of storeNames) {
    const prepared = await prepareStore(name);
    const store = await openStore(prepared.address);
    for (const [operation, work] of operations) {
      // Ten events for each stream, so that resuming reads what a broken connection usually lost.
      const wanted = operation === 'append an event' ? Math.min(count, 10 * streams) : count;
      results.push({ store: name, operation, ...(await measure((n) => work(store, n), wanted, together, prepared)) });
    }
    await store.close?.();
    await prepared.close();
  }
  print(
    `### Operations of a store, ${together} at once: a second; CPU µs of the process; CPU µs of and commands to the server`,
  );
  print(
    table(
      ['operation', ...storeNames],
      operations.map(([operation]) => [
        operation,
        ...storeNames.map((name) => {
          const row = results.find((each) => each.store === name && each.operation === operation);
          const own = `${short(row.perSecond)}; ${threeFigures(row.cpuMicros)}`;
          return isServer(name) ? `${own}; ${threeFigures(row.storeMicros)}; ${threeFigures(row.commands)}` : own;
        }),
      ]),
    ),
  );
  return results;
}

async function measure(work, count, together, prepared) {
  const before = prepared.usage();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: together }, worker));
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const after = prepared.usage();
  return {
    perSecond: (count / ms) * 1000,
    cpuMicros: (user + system) / count,
    storeMicros: ((after.cpuMs - before.cpuMs) / count) * 1000,
    commands: (after.commands - before.commands) / count,
  };
}
