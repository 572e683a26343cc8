/** Kills this process when a query takes too much memory: some builds of SQLite lack a memory limit. */
import { Worker } from 'node:worker_threads';

const maxBytes = 512 * 1024 * 1024;

/** Checks the memory every few milliseconds while a query runs. It needs its own thread: a query blocks the main one. */
const watchdog = `
  const { workerData: running } = require('node:worker_threads');
  for (;;) {
    Atomics.wait(running, 0, 0);
    if (process.memoryUsage.rss() > ${maxBytes}) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(running, 0, 1, 5);
  }
`;

/** Starts the watchdog. Returns a function that runs another one under the limit. */
export async function limitMemory(): Promise<<T>(run: () => T) => T> {
  const running = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(watchdog, { eval: true, workerData: running, execArgv: [] });
  await new Promise((resolve) => worker.once('online', resolve));
  const setRunning = (now: 0 | 1): void => {
    Atomics.store(running, 0, now);
    Atomics.notify(running, 0);
  };
  return (run) => {
    setRunning(1);
    try {
      return run();
    } finally {
      setRunning(0);
    }
  };
}
