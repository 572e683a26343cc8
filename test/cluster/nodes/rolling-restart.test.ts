/** Three nodes behind the nginx of the guide are replaced one after the other, as the guide says, while ten clients call. */
import { connect, toText } from 'tenon';
import { expect, it } from 'vitest';
import { missingPrograms } from '../../../examples/cluster/programs.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { requires } from '../../kit/requires.ts';
import { behindNginx } from './behind-nginx.ts';

const clientCount = 10;
const callCount = scaled(600, 10_000);
const restartCount = scaled(3, 20);

it(`none of ${inWords(callCount)} calls fails over ${restartCount} restarts [S20, S31]`, {
  timeout: 600_000,
}, async (context) => {
  requires(context, missingPrograms(['nginx']));
  const { url, restart } = await behindNginx();
  const failures: unknown[] = [];
  /** The processes that have served calls. */
  const servedBy = new Set<string>();
  const served = async (count: number): Promise<void> => {
    await expect.poll(() => servedBy.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  };
  const restarting = new AbortController();
  const calling = Promise.all(
    Array.from({ length: clientCount }, async () => {
      const client = await connect(url);
      // Calls go on for as long as nodes are replaced.
      for (let calls = 0; !restarting.signal.aborted || calls < callCount / clientCount; calls++)
        await client.tools.call('moment').then(
          (result) => servedBy.add(toText(result)),
          (error: unknown) => failures.push(error),
        );
      await client.close();
    }),
  );
  await served(3);
  for (let n = 0; n < restartCount; n++) {
    await restart('SIGTERM', [n % 3]);
    // nginx sends to the new one again.
    await served(4 + n);
  }
  restarting.abort();
  await calling;
  expect(failures).toEqual([]);
});
