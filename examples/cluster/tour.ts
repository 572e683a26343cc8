/** A client that shows what the cluster does: one session at all nodes, and a node that is killed. */
import { connect, TenonError, toText } from 'tenon';
import { type Cluster, nodeNames } from './cluster.ts';

export async function showCluster(cluster: Cluster, print: (line: string) => void): Promise<void> {
  const client = await connect(cluster.url, {
    // The newest version with sessions. At 2026-07-28 every request stands alone.
    protocolVersions: ['2025-11-25'],
    handlers: { elicitForm: () => ({ action: 'accept', content: { count: 2 } }) },
  });
  const where = async (): Promise<string> => toText(await client.tools.call('where', {}, { retryable: true }));
  const served = async (calls: number): Promise<string> => {
    const names: string[] = [];
    for (let n = 0; n < calls; n++) names.push(await where());
    return names.join(', ');
  };

  /** Starts a long call; `by` is the node that runs it, `ended` its outcome. */
  async function startLongCall(): Promise<{ readonly by: string; readonly ended: Promise<string> }> {
    let ended = Promise.resolve('');
    const by = await new Promise<string>((resolve) => {
      const onProgress = ({ message = '' }: { message?: string }): void => resolve(message);
      ended = client.tools.call('count', { to: 100 }, { onProgress }).then(toText, outcomeOf);
    });
    return { by, ended };
  }

  try {
    print(`One session, six calls, served by: ${await served(6)}`);
    const progress: number[] = [];
    const onProgress = (report: { readonly progress: number }): void => void progress.push(report.progress);
    const counted = await client.tools.call('count', { to: 3 }, { onProgress });
    print(`A call with progress (${progress.join(', ')}): ${toText(counted)}`);
    print(
      `An elicitation, its answer sent through nginx: ${toText(await client.tools.call('order', { item: 'tea' }))}`,
    );

    const { by, ended } = await startLongCall();
    const victim = nodeNames.find((name) => name === by) ?? 'node 1';
    await cluster.killNode(victim);
    print(`${victim} is killed during a call. The same session, six calls, served by: ${await served(6)}`);
    print(`The call that ${victim} ran ended with: ${await ended}`);
    await cluster.startNode(victim);
    print(`${victim} is back. Requests by node so far: ${cluster.requestsByNode()}`);
  } finally {
    await client.close();
  }
}

const outcomeOf = (error: unknown): string => (error instanceof TenonError ? error.code : String(error));
