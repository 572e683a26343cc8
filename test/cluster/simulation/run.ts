/** Runs one seed: a cluster, its clients, a schedule of calls, changes and faults; returns the history. */
import './virtual-random.ts';
import { createRandom } from '../../client/reconnect/random.ts';
import { forgetVersions } from '../../kit/http/remembered-versions.ts';
import { checkHistory } from '../history/check.ts';
import { type HistoryEvent, ofType } from '../history/events.ts';
import { createRecorder } from '../history/recorder.ts';
import type { Violation } from '../history/violations.ts';
import { createCluster } from './cluster.ts';
import { type ClusterStoreName, clusterStores } from './cluster-stores.ts';
import { type FaultRates, hasGaps, noFaults, type World } from './faults.ts';
import { createNetwork } from './network.ts';
import type { PlantedFault } from './planted-faults.ts';
import type { Program, ProgramPlan } from './program.ts';
import { RawProgram } from './raw-client.ts';
import { faultsEndMs, programPlans, ratesOf, schedule } from './schedule.ts';
import { simulatedServer } from './server.ts';
import { TenonProgram } from './tenon-client.ts';
import { seedProcess } from './virtual-random.ts';
import { now, runUntil, startTime, stopTime } from './virtual-time.ts';

export interface SimulatedRun {
  readonly history: readonly HistoryEvent[];
  /** The history as NDJSON, with virtual times. */
  readonly text: string;
  readonly violations: readonly Violation[];
}

export interface SimulationOptions {
  /** A fault of the store that the checker must find. */
  readonly planted?: PlantedFault;
  readonly deadNodeMs?: number | undefined;
  /** How often the store and the network fail; as the seed decides by default. */
  readonly rates?: FaultRates;
  /** Whether nodes are neither killed, drained nor paused, and the store stays connected. Default false. */
  readonly isCalm?: boolean;
}

/** How long everything may take to end once nothing fails any more. */
export const patienceMs = 120_000;
/** How long notifications may be on their way when the last call has ended. */
const lastChangesMs = 20_000;

/** Runs something in virtual time, with everything random from a seed; its history is checked. */
export async function simulate(seed: number, run: (world: World) => Promise<void>): Promise<SimulatedRun> {
  const realFetch = globalThis.fetch;
  seedProcess(seed);
  startTime();
  forgetVersions();
  const recorder = createRecorder(now);
  try {
    await run({ random: createRandom(seed), recorder, rates: noFaults });
    return { history: recorder.history, text: recorder.text(), violations: checkHistory(recorder.history) };
  } finally {
    globalThis.fetch = realFetch;
    stopTime();
    seedProcess(undefined);
  }
}

export async function runSeed(
  seed: number,
  options: SimulationOptions & { readonly store?: ClusterStoreName } = {},
): Promise<SimulatedRun> {
  const { connect, close } = await clusterStores[options.store ?? 'memory']();
  const run = await simulate(seed, async (world) => {
    const { random, recorder } = world;
    const rates = options.rates ?? ratesOf(random);
    if (hasGaps) world.rates = rates;
    const { planted, deadNodeMs } = options;
    const plan = { connect, createServer: simulatedServer, planted, deadNodeMs };
    const cluster = createCluster(world, plan);
    for (let count = 0; count < 3; count++) await cluster.start();
    globalThis.fetch = createNetwork(world, () => cluster.nodes);
    const programs = programPlans(random).map((plan) => programOf(plan, world));
    for (const program of programs) void program.listen();
    schedule(world, cluster, programs, options.isCalm);
    const isListening = (): boolean => listenersIn(recorder.history) === programs.length;
    await runUntil(isListening, faultsEndMs);
    world.rates = rates;
    await runUntil(() => false, faultsEndMs);
    world.rates = noFaults;
    await runUntil(() => programs.every(({ open }) => open === 0), faultsEndMs + patienceMs);
    await runUntil(() => false, now() + lastChangesMs);
  });
  await close();
  return run;
}

const listenersIn = (history: readonly HistoryEvent[]): number =>
  new Set(ofType(history, 'listening').map(({ listener }) => listener)).size;

/** Half of the programs in sessions speak the protocol by hand, and see what Tenon's client hides. */
const programOf = (plan: ProgramPlan, world: World): Program =>
  plan.isRaw ? new RawProgram(plan, world) : new TenonProgram(plan, world);
