/** Registers all cases with a test runner. */
import { clockCases } from './cases/clock.ts';
import { concurrencyCases } from './cases/concurrency.ts';
import { conditionCases } from './cases/conditions.ts';
import { expiryCases } from './cases/expiry.ts';
import { groupCases } from './cases/groups.ts';
import { logCases } from './cases/logs.ts';
import { messageCases } from './cases/messages.ts';
import { queueCases } from './cases/queues.ts';
import { rowCases } from './cases/rows.ts';
import { textCases } from './cases/texts.ts';
import { tokenCases } from './cases/tokens.ts';
import { trimCases } from './cases/trims.ts';
import { type Cases, type DriverUnderTest, TestedStore } from './tested-store.ts';

const allCases: Readonly<Record<string, Cases>> = {
  rows: rowCases,
  conditions: conditionCases,
  expiry: expiryCases,
  groups: groupCases,
  queues: queueCases,
  logs: logCases,
  trims: trimCases,
  tokens: tokenCases,
  messages: messageCases,
  clock: clockCases,
  concurrency: concurrencyCases,
  texts: textCases,
};

/**
 * Registers the suite of the contract `StoreDriver`, one test for each sentence of it. `it` is that of your test runner:
 * Vitest, Jest and `node:test` have one that fits. Each test calls `open` for a driver on an empty store.
 */
export function testStoreDriver(
  open: () => DriverUnderTest | Promise<DriverUnderTest>,
  it: (name: string, run: () => Promise<void>) => unknown,
): void {
  for (const [area, cases] of Object.entries(allCases))
    for (const [name, run] of Object.entries(cases))
      it(`${area}: ${name}`, async () => {
        const under = await open();
        try {
          await run(new TestedStore(under));
        } finally {
          await under.close();
        }
      });
}
