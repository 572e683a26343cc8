/** Three nodes that share a SQLite file, behind the nginx of the guide. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startNginx } from '../../../examples/cluster/nginx.ts';
import { freePort } from '../../../examples/cluster/programs.ts';
import { engines } from '../../kit/stores/engines.ts';
import { type NodeProcess, startNode } from './node-processes.ts';

export async function behindNginx() {
  const started = await engines.sqlite.start();
  onTestFinished(() => started.close());
  const store = started.next();
  const nodes: NodeProcess[] = await Promise.all([startNode(store), startNode(store), startNode(store)]);
  const ports = nodes.map(({ url }) => Number(new URL(url).port));
  const folder = mkdtempSync(join(tmpdir(), 'tenon-nginx-'));
  const port = await freePort();
  let nginx = await startNginx(folder, port, ports);
  onTestFinished(async () => {
    await nginx.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** For files of the test; it is deleted at its end. */
    folder,
    /** Ends nodes, and then starts others in their place. */
    async restart(signal: 'SIGTERM' | 'SIGKILL', which: readonly number[]): Promise<void> {
      for (const n of which) nodes[n]?.signal(signal);
      await Promise.all(which.map((n) => nodes[n]?.exited));
      await Promise.all(which.map(async (n) => void (nodes[n] = await startNode(store, ports[n]))));
    },
    async restartNginx(): Promise<void> {
      // It closes all connections at once.
      await nginx.end('SIGTERM');
      nginx = await startNginx(folder, port, ports);
    },
    /** How many requests nginx has answered with this status. */
    answered: (status: number): number =>
      readFileSync(join(folder, 'access.log'), 'utf8').split(` ${status}\n`).length - 1,
  };
}
