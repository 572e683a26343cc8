/** Jobs of BullMQ that do what our tasks do: created and run by the same process. */
import { DelayedError, Queue, Worker } from 'bullmq';
import { Finished } from './finished.mjs';

const name = 'bench';

const runs = {
  empty: () => 'done',
  /** A step is stored by an update of the job, as its documentation has it. */
  async steps(job) {
    for (let step = 1; step <= 3; step++) await job.updateData({ ...job.data, step });
    return 'done';
  },
  /** It waits as a delayed job, and goes on when it is promoted. */
  async waits(job, token, parked) {
    if (job.data.waited) return 'done';
    await job.updateData({ ...job.data, waited: true });
    await job.moveToDelayed(Date.now() + 3_600_000, token);
    parked.add(job.id);
    throw new DelayedError();
  },
};

/** `onRun` replaces the handlers, for workers that are lost. */
export async function openBullMq(address, { leaseMs, onRun } = {}) {
  const { hostname: host, port } = new URL(address);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const finished = new Finished();
  const parked = new Finished();
  const queue = new Queue(name, { connection });
  const run = onRun ?? ((job, token) => runs[job.data.load](job, token, parked));
  const lease = leaseMs && { lockDuration: leaseMs, stalledInterval: leaseMs / 3, maxStalledCount: 5 };
  const worker = new Worker(name, run, { connection, concurrency: 32, ...lease });
  worker.on('completed', ({ id }) => finished.add(id));
  worker.on('error', (error) => console.error(error));
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  return {
    create: async (load) => (await queue.add(load, { load })).id,
    finished: (id) => finished.of(id),
    parked: (id) => parked.of(id),
    resume: async (id) => (await queue.getJob(id)).promote(),
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}
