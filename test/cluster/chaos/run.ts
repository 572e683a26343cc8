/** One run: three node processes behind a balancer, clients with their operations, faults, and the history of it all. */
import type { EngineName } from '../../kit/stores/engines.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { checkHistory } from '../history/check.ts';
import { createRecorder, type Recorder } from '../history/recorder.ts';
import type { Violation } from '../history/violations.ts';
import { startRawClient } from './clients/raw-client.ts';
import { startTenonClient } from './clients/tenon-client.ts';
import { withoutExcused } from './excused.ts';
import { createPace } from './pace.ts';
import { startBalancer } from './rig/balancer.ts';
import { createNodes } from './rig/node-processes.ts';
import { type Observer, startObserver } from './rig/observer.ts';
import { openFaultyStore } from './rig/stores.ts';
import { nodeNames, type Operation, type PlannedFault, planRun } from './schedule.ts';

export interface ChaosClient {
  readonly name: string;
  run(operation: Operation): Promise<void>;
  close(): Promise<void>;
}

/** What a client of a run uses. */
export interface Surroundings {
  readonly url: string;
  readonly recorder: Recorder;
  readonly observer: Observer;
  /** A line for the log of a failed run. */
  note(line: string): void;
  /** How long a call waits for a silent server. */
  readonly patienceMs: number;
}

export interface RunOptions {
  readonly program: string;
  readonly seed: number;
  readonly store: EngineName;
  readonly operations: number;
  /** Without faults every call has its result. */
  readonly hasFaults?: boolean;
}

export interface RunOutcome {
  readonly recorder: Recorder;
  readonly violations: readonly Violation[];
  /** The errors of clients, and what the nodes wrote about trouble. */
  readonly trouble: string;
}

export async function runChaos({
  program,
  seed,
  store: kind,
  operations,
  hasFaults = true,
}: RunOptions): Promise<RunOutcome> {
  const { clients: planned, faults } = planRun(seed, kind, operations);
  const begun = performance.now();
  const recorder = createRecorder(() => Math.round(performance.now() - begun));
  const store = await openFaultyStore(kind);
  const pace = createPace(hasFaults ? faults : [], { begin, end });
  const observer = await startObserver(recorder, pace.step);
  const env = { STORE: store.url, OBSERVER: observer.url, SECRET: `the secret of run ${seed}` };
  const nodes = createNodes(program, env, recorder);
  const balancer = await startBalancer(nodes.ports);
  let down = '';
  let draining: Promise<void> = Promise.resolve();

  async function begin({ what }: PlannedFault, node: string | undefined): Promise<void> {
    if (what.kind !== 'store') {
      down = (what.isInCall ? node : undefined) ?? what.node;
      if (what.kind === 'node-killed') return nodes.kill(down);
      draining = nodes.drain(down);
      return;
    }
    recorder.record({ type: 'store-fault', operation: 'all', fault: what.fault });
    await store.begin(what.fault);
  }

  async function end({ what }: PlannedFault): Promise<void> {
    if (what.kind !== 'store') {
      await draining;
      return nodes.start(down);
    }
    await store.end();
    recorder.record({ type: 'store-fault', operation: 'all', fault: 'ended' });
  }

  try {
    await Promise.all(nodeNames.map((name) => nodes.start(name)));
    const notes: string[] = [];
    const note = (line: string): void => void notes.push(`${Math.round(performance.now() - begun)} ${line}\n`);
    const around: Surroundings = { url: balancer.url, recorder, observer, note, patienceMs: 20_000 };
    const clients = await Promise.all(
      planned.map((client) => (client.isRaw ? startRawClient(client, around) : startTenonClient(client, around))),
    );
    const perform = async (client: ChaosClient, list: readonly Operation[]): Promise<void> => {
      for (const operation of list) {
        await client.run(operation);
        await pace.step();
      }
    };
    await Promise.all(clients.map((client, n) => perform(client, planned[n]?.operations ?? [])));
    await pace.finish();
    await untilSettled(recorder);
    const violations = withoutExcused(checkHistory(recorder.history), recorder.history);
    await Promise.all(clients.map((client) => withTimeout(client.close(), `${client.name} to close`)));
    return { recorder, violations, trouble: notes.join('') + nodes.trouble() };
  } finally {
    await nodes.close();
    await balancer.close();
    await observer.close();
    await store.close();
  }
}

/** Listeners receive changes some time after them. */
async function untilSettled(recorder: Recorder): Promise<void> {
  const until = performance.now() + 60_000;
  const isLost = (): boolean => checkHistory(recorder.history).some(({ rule }) => rule === 'change-lost');
  while (isLost() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
}
