/** Pins the server and its driver to a core each, where the machine has two cores and `taskset`. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const serverCore = '0';
const driverCore = '1';

const taskset = (...args) => spawnSync('taskset', args, { encoding: 'utf8' });

export const canPin = availableParallelism() > 1 && taskset('--version').status === 0;

/** The command line that runs Node on the server's core. `taskset` becomes Node, so the process id is Node's. */
export const nodeCommand = (args) =>
  canPin ? ['taskset', ['-c', serverCore, process.execPath, ...args]] : [process.execPath, args];

/** Does the work with this process on the driver's core, then unpins it. */
export async function onDriverCore(work) {
  if (!canPin) return work();
  const own = String(process.pid);
  const before = taskset('-cp', own).stdout.split(':').at(-1).trim();
  taskset('-acp', driverCore, own);
  try {
    return await work();
  } finally {
    taskset('-acp', before, own);
  }
}
