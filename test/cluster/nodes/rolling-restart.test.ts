/** Three nodes behind the nginx of the guide are replaced one after the other, as the guide says, while ten clients call. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { startNginx } from '../../../examples/cluster/nginx.ts';
import { freePort, missingPrograms } from '../../../examples/cluster/programs.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { requires } from '../../kit/requires.ts';
import { engines } from '../../kit/stores/engines.ts';
import { type NodeProcess, startNode } from './node-processes.ts';

const clientCount = 10;
const callCount = scaled(600, 10_000);
const restartCount = scaled(3, 20);

/** Three nodes that share a file, and nginx in front of them. */
async function behindNginx() {
  const started = await engines.sqlite.start();
  onTestFinished(() => started.close());
  const store = started.next();
  const nodes: NodeProcess[] = await Promise.all([startNode(store), startNode(store), startNode(store)]);
  const ports = nodes.map(({ url }) => Number(new URL(url).port));
  const folder = mkdtempSync(join(tmpdir(), 'tenon-restart-'));
  const port = await freePort();
  const nginx = await startNginx(folder, port, ports);
  onTestFinished(async () => {
    await nginx.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async restart(n: number): Promise<void> {
      nodes[n]?.signal('SIGTERM');
      await nodes[n]?.exited;
      nodes[n] = await startNode(store, ports[n]);
    },
  };
}

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
    await restart(n % 3);
    // nginx sends to the new one again.
    await served(4 + n);
  }
  restarting.abort();
  await calling;
  expect(failures).toEqual([]);
});
