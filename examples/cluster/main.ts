/** Starts three nodes, nginx and, unless `CLUSTER_STORE` names a store, Redis; shows with a client what they do, and runs until Ctrl+C. With `--once` it ends after that. */
import { argv, env } from 'node:process';
import { type Cluster, startCluster } from './cluster.ts';
import { missingPrograms } from './programs.ts';
import { givenStore } from './store.ts';
import { showCluster } from './tour.ts';

const print = (line: string): void => console.log(line);

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    // A second signal has no effect: the processes are ending.
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
}

async function run(): Promise<void> {
  const signalled = untilSignal();
  let cluster: Cluster | undefined;
  try {
    cluster = await startCluster(Number(env.PORT ?? 3000), print);
    await Promise.race([showCluster(cluster, print), signalled]);
    if (argv.includes('--once')) return;
    print(`Serving at ${cluster.url}. Ctrl+C ends everything.`);
    await signalled;
  } finally {
    await cluster?.close();
    print('All processes have ended.');
  }
}

const missing = missingPrograms(givenStore === undefined ? ['redis-server', 'nginx'] : ['nginx']);
if (missing === undefined) await run();
else {
  console.error(missing);
  process.exitCode = 1;
}
