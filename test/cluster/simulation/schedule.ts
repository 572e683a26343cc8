/** What happens in a run, and when, as the seed decides. */
import { type ProtocolVersion, protocolVersions } from 'tenon/protocol';
import type { Random } from '../../client/reconnect/random.ts';
import type { Cluster, SimulatedNode } from './cluster.ts';
import { type FaultRates, hasGaps, noFaults, type World } from './faults.ts';
import type { Program, ProgramPlan } from './program.ts';
import { topics } from './server.ts';

/** When the faults end. */
export const faultsEndMs = 12_000;

/** Revisions with resumable sessions, and the one without sessions. */
const revisions: readonly ProtocolVersion[] = protocolVersions.slice(-3);

/** Two principals with two programs each. */
export const programPlans = (random: Random): ProgramPlan[] =>
  ['ada', 'bob', 'ada', 'bob'].map((principal, index) => {
    const isRaw = index >= 2;
    // A raw program has a session.
    const revision = random.pick(isRaw ? revisions.slice(0, -1) : revisions) as ProtocolVersion;
    return { name: `c${index + 1}`, principal, revision, isRaw };
  });

/** One run in four has a calm network, one in four a calm store. */
export function ratesOf(random: Random): FaultRates {
  const network = random.weighted<number>([
    [1, 0],
    [2, 1],
    [1, 4],
  ]);
  const store = random.weighted<number>([
    [2, 0],
    [1, 1],
    [1, 4],
  ]);
  return {
    ...noFaults,
    storeBefore: 0.002 * store,
    storeAfter: 0.002 * store,
    requestLost: 0.01 * network,
    responseLost: 0.01 * network,
    chunkLost: 0.01 * network,
    refused: 0.01 * network,
  };
}

/** For planted faults: many streams are cut and resumed, and the store works. */
export const harshRates: FaultRates = { ...noFaults, responseLost: 0.02, chunkLost: 0.08 };

type Action = (world: World, cluster: Cluster, programs: readonly Program[]) => void;

type Actions = ReadonlyArray<readonly [weight: number, action: Action]>;

/** What happens to the nodes of a cluster, whatever their clients do. */
type Trouble = (world: World, cluster: Cluster) => void;

/** Something that happens at a node that runs, if there is one. */
function onNode(run: (node: SimulatedNode, world: World, cluster: Cluster) => void): Trouble {
  return (world, cluster) => {
    const running = cluster.nodes.filter(({ isListening, life }) => isListening && !life.isPaused);
    const node = world.random.pick(running);
    if (node !== undefined) run(node, world, cluster);
  };
}

const later = ({ random }: World, maxMs: number, run: () => void): void =>
  void setTimeout(run, 200 + random.below(maxMs));

/** Calls and changes. */
const work: Actions = [
  [6, ({ random }, _cluster, programs) => void random.pick(programs)?.call({ tool: 'add' })],
  [
    6,
    ({ random }, _cluster, programs) =>
      void random.pick(programs)?.call({ tool: 'add', idempotencyKey: `key ${1 + random.below(3)}` }),
  ],
  [8, ({ random }, _cluster, programs) => void random.pick(programs)?.call({ tool: 'count' })],
  [5, ({ random }, _cluster, programs) => void random.pick(programs)?.call({ tool: 'ask' })],
  [
    2,
    ({ random }, _cluster, programs) =>
      void random.pick(programs)?.call({ tool: 'count', cancelAfterMs: random.below(800) }),
  ],
  [6, onNode((node, { random }, cluster) => cluster.change(node, random.pick(topics) as string))],
];

/** What happens to nodes. Each comes back, or another one is started, so that the cluster never shrinks for long. */
export const trouble: ReadonlyArray<readonly [weight: number, trouble: Trouble]> = [
  [
    1,
    onNode((node, world, cluster) => {
      cluster.kill(node);
      later(world, 1500, () => void cluster.start());
    }),
  ],
  [
    1,
    onNode((node, world, cluster) => {
      void cluster.drain(node);
      later(world, 1500, () => void cluster.start());
    }),
  ],
  [
    1,
    onNode((node, world, cluster) => {
      cluster.pause(node);
      later(world, 6000, () => cluster.resume(node));
    }),
  ],
  [
    1,
    onNode((node, world) => {
      node.link.disconnect();
      later(world, hasGaps ? 2000 : 800, () => node.link.connect());
    }),
  ],
];

/** Spreads the actions over the time in which things may fail. */
export function schedule(world: World, cluster: Cluster, programs: readonly Program[], isCalm = false): void {
  const actions = isCalm ? work : [...work, ...trouble];
  spread(world, 12 + world.random.below(20), actions, (action) => action(world, cluster, programs));
}

/** Runs so many of the choices, each at a moment before the faults end. */
export function spread<T>(
  { random }: World,
  count: number,
  choices: ReadonlyArray<readonly [weight: number, T]>,
  run: (chosen: T) => void,
): void {
  for (let index = 0; index < count; index++) {
    const chosen = random.weighted(choices);
    setTimeout(() => run(chosen), random.below(faultsEndMs - 4500));
  }
}
