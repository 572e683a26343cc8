/** Ends this process when what it runs takes too much memory: SQLite's own bound is left out of some builds. */
import { Worker } from 'node:worker_threads';

const maxBytes = 512 * 1024 * 1024;

/** Looks every few milliseconds while something runs, and sleeps between. A thread of its own: a query holds up the first. */
const looking = `
  const { workerData: running } = require('node:worker_threads');
  for (;;) {
    Atomics.wait(running, 0, 0);
    if (process.memoryUsage.rss() > ${maxBytes}) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(running, 0, 1, 5);
  }
`;

/** Settles when it looks. What it gives runs a function under the bound. */
export async function boundMemory(): Promise<<T>(run: () => T) => T> {
  const running = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(looking, { eval: true, workerData: running, execArgv: [] });
  await new Promise((resolve) => worker.once('online', resolve));
  const send = (now: 0 | 1): void => {
    Atomics.store(running, 0, now);
    Atomics.notify(running, 0);
  };
  return (run) => {
    send(1);
    try {
      return run();
    } finally {
      send(0);
    }
  };
}
