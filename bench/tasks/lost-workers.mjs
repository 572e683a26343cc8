/** How long a task stands still whose process is killed, until another one runs it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareStore } from '../stores/subjects.mjs';

const program = fileURLToPath(new URL('./worker.mjs', import.meta.url));

/** How long a lost process holds its task, in both. */
export const leaseMs = 3000;

function startWorker(subject, address, role) {
  const child = spawn(process.execPath, [program, subject, address, role], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (wanted) => {
    const { value } = await lines.next();
    if (value !== wanted) throw new Error(`the worker printed ${value}, not ${wanted}`);
  };
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    next,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Milliseconds from the end of the process to the next run, each time with a new store. */
export async function timeToResume({ store, subject }, times) {
  const found = [];
  for (let time = 0; time < times; time++) {
    const prepared = await prepareStore(store);
    const first = startWorker(subject, prepared.address, 'first');
    await first.next('runs');
    const second = startWorker(subject, prepared.address, 'second');
    await second.next('ready');
    await first.kill();
    const killed = performance.now();
    await second.next('runs');
    found.push(performance.now() - killed);
    await second.kill();
    await prepared.close();
  }
  return found;
}
