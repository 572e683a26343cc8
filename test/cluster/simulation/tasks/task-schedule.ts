/** What happens in a run with tasks, and when, as the seed decides. */
import type { Random } from '../../../client/reconnect/random.ts';
import { ofType } from '../../history/events.ts';
import type { Cluster } from '../cluster.ts';
import type { FaultRates, World } from '../faults.ts';
import { noFaults } from '../faults.ts';
import { ratesOf, spread, trouble } from '../schedule.ts';
import { setClockBack } from '../virtual-time.ts';
import { type Asker, type AskerPlan } from './asker.ts';
import { type TaskTool, taskTools } from './task-server.ts';

/** Two principals, each with a client of either form. */
export const askerPlans: readonly AskerPlan[] = [
  { name: 'c1', principal: 'ada', wire: 'session' },
  { name: 'c2', principal: 'bob', wire: 'session' },
  { name: 'c3', principal: 'ada', wire: 'extension' },
  { name: 'c4', principal: 'bob', wire: 'extension' },
];

export function taskRatesOf(random: Random): FaultRates {
  const hintLost = random.pick([0, 0.1, 0.5, 1]) ?? 0;
  return { ...ratesOf(random), hintLost };
}

/** For planted faults: workers lose acknowledgements, and clients connections. */
export const harshTaskRates: FaultRates = { ...noFaults, storeAfter: 0.02, responseLost: 0.02, hintLost: 0.5 };

type Action = (world: World, cluster: Cluster, askers: readonly Asker[]) => void;

/** A task that some client knows. */
const someTask = ({ random, recorder }: World): string | undefined =>
  random.pick(ofType(recorder.history, 'task-created'))?.task;

const onTask =
  (run: (asker: Asker, task: string) => Promise<void>): Action =>
  (world, _cluster, askers) => {
    const task = someTask(world);
    const asker = world.random.pick(askers);
    if (task !== undefined && asker !== undefined) void run(asker, task);
  };

const work: ReadonlyArray<readonly [weight: number, action: Action]> = [
  [5, ({ random }, _cluster, askers) => void random.pick(askers)?.create('survey')],
  // Always the same call under the same key.
  [7, ({ random }, _cluster, askers) => void random.pick(askers)?.create('report', `key ${1 + random.below(2)}`)],
  [3, onTask((asker, task) => asker.cancel(task))],
  [3, onTask((asker, task) => asker.follow(task))],
  [4, ({ random }, _cluster, askers) => void random.pick(askers.filter(({ canList }) => canList))?.list()],
];

/** Nodes fail more often than in runs without tasks: what counts is who takes over. */
const oftenTrouble: ReadonlyArray<readonly [weight: number, action: Action]> = [
  ...trouble.map(([weight, action]) => [4 * weight, action as Action] as const),
  // By more than any lease and ttl, or by less.
  [3, ({ random }) => setClockBack(random.pick([700, 20_000, 7_200_000]) ?? 0)],
];

export interface TaskScheduleOptions {
  /** Whether nodes are neither killed, drained nor paused. Default false. */
  readonly isCalm?: boolean | undefined;
  /** The only tool that is called without a key; any by default. */
  readonly tool?: TaskTool | undefined;
}

export function scheduleTasks(
  world: World,
  cluster: Cluster,
  askers: readonly Asker[],
  { isCalm = false, tool }: TaskScheduleOptions,
): void {
  const { random } = world;
  const create: Action = () => void random.pick(askers)?.create(tool ?? (random.pick(taskTools) as TaskTool));
  const actions = [[12, create] as const, ...work, ...(isCalm ? [] : oftenTrouble)];
  spread(world, 12 + random.below(20), actions, (action) => action(world, cluster, askers));
}
