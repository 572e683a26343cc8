/** `npm run test:node24`: repeats the tests that use the operating system on Node 24. */
import { inRoot } from './command.mjs';
import { findNode24 } from './node24.mjs';
import { setUp } from './setup.mjs';
import { runSuite } from './suite.mjs';
import { withTotals } from './totals.mjs';

/**
 * Files, processes, sockets, the database of the demo, timers and memory. The other tests use only the language or the
 * compiler, and have the same result on every Node.
 */
const machineTests = [
  'src/node',
  'src/transport',
  'test/node',
  'test/server/http',
  'test/client/http',
  'test/host',
  'test/telemetry',
  'test/sqlite',
  'test/redis',
  'test/examples',
  ...['api/closed-client', 'reconnect/process-exit', 'calls/timeouts'].map((name) => `test/client/${name}`),
  ...['connection-cycles', 'graceful-restart', 'restarted-processes', 'restarted-servers'].map(
    (name) => `test/client/reconnect/${name}`,
  ),
];

await withTotals(async (totals) => {
  await setUp();
  const { node, reason } = await findNode24();
  if (node === undefined) return totals.missing('the tests on Node 24', reason);
  console.log(`suite on Node 24: ${machineTests.join(', ')}`);
  totals.add(await runSuite({ node, report: inRoot('.tenon/report-node24.json'), filters: machineTests }));
});
