/** Runs one seed of a cluster with tasks; returns the history. */
import { createCluster } from '../cluster.ts';
import { type ClusterStoreName, clusterStores } from '../cluster-stores.ts';
import { noFaults } from '../faults.ts';
import { createNetwork } from '../network.ts';
import { patienceMs, type SimulatedRun, type SimulationOptions, simulate } from '../run.ts';
import { faultsEndMs } from '../schedule.ts';
import { runUntil } from '../virtual-time.ts';
import { Asker } from './asker.ts';
import { observeTasks } from './observed-tasks.ts';
import { askerPlans, scheduleTasks, type TaskScheduleOptions, taskRatesOf } from './task-schedule.ts';
import { taskServer } from './task-server.ts';

export async function runTaskSeed(
  seed: number,
  storeName: ClusterStoreName,
  options: SimulationOptions & TaskScheduleOptions = {},
): Promise<SimulatedRun> {
  const { connect, close } = await clusterStores[storeName]();
  const run = await simulate(seed, async (world) => {
    const { random, recorder } = world;
    const { rates = taskRatesOf(random), planted } = options;
    const { observe, live } = observeTasks(recorder);
    const cluster = createCluster(world, { connect, createServer: taskServer, planted, observe });
    for (let count = 0; count < 3; count++) await cluster.start();
    globalThis.fetch = createNetwork(world, () => cluster.nodes);
    const askers = askerPlans.map((plan) => new Asker(plan, world));
    scheduleTasks(world, cluster, askers, options);
    world.rates = rates;
    await runUntil(() => false, faultsEndMs);
    world.rates = noFaults;
    const isDone = (): boolean => askers.every(({ open }) => open === 0) && live.size === 0;
    await runUntil(isDone, faultsEndMs + patienceMs);
    for (const { life } of cluster.nodes) life.kill();
  });
  await close();
  return run;
}
