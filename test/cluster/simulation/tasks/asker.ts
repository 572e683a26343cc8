/** A program that has tasks carried out: it creates, follows, answers, cancels and lists them, and records what it sees. */
import { noFaults, type World } from '../faults.ts';
import { wait } from '../virtual-time.ts';
import { extensionTasks } from './extension-tasks.ts';
import { sessionTasks } from './session-tasks.ts';
import type { TaskTool } from './task-server.ts';
import type { Answerer, SeenTask, TaskWire } from './task-wire.ts';

export interface AskerPlan {
  readonly name: string;
  readonly principal: string;
  readonly wire: 'session' | 'extension';
}

/** How long a task is followed. */
const maxLooks = 100;

export class Asker {
  readonly plan: AskerPlan;
  readonly #world: World;
  readonly #wire: TaskWire;
  readonly #answerer: (task: string) => Answerer;
  #created = 0;
  /** Tasks that it follows, and requests that it has sent. */
  open = 0;

  constructor(plan: AskerPlan, world: World) {
    const { name, principal, wire } = plan;
    const { random, recorder } = world;
    this.plan = plan;
    this.#world = world;
    this.#wire = wire === 'session' ? sessionTasks(name, principal) : extensionTasks(name, principal);
    let answers = 0;
    this.#answerer = (task) => ({
      asked: ({ token, question, owner }) => {
        recorder.record({ type: 'task-question', task, client: name, principal, question, owner });
        // While things may fail, some questions wait for another client, or for the next look.
        const isLeftOpen = world.rates !== noFaults && random.below(4) === 0;
        return isLeftOpen ? undefined : `${token} ${question} ${name} ${++answers}`;
      },
      answered: ({ key, question }, answer, isAcknowledged) =>
        recorder.record({
          type: 'task-answered',
          task,
          client: name,
          question,
          answer,
          ...(isAcknowledged && { acknowledged: key }),
        }),
    });
  }

  /** Creates a task, and follows it to its end. With a key, it tries until it knows the task. */
  create(tool: TaskTool, idempotencyKey?: string): Promise<void> {
    const { name: client, principal } = this.plan;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const token = idempotencyKey === undefined ? `${client}-${++this.#created}` : `${principal}-${idempotencyKey}`;
    return this.#busy(async () => {
      for (let attempt = 0; attempt < (idempotencyKey === undefined ? 1 : 20); attempt++) {
        const created = await this.#wire.create(tool, token, idempotencyKey).then(
          (task) => ({ task }),
          () => undefined,
        );
        if (created !== undefined) {
          const { task } = created;
          if (task === undefined) return;
          this.#world.recorder.record({ type: 'task-created', task, client, principal, token, ...key });
          return this.#follow(task);
        }
        await wait(400);
      }
    });
  }

  /** Follows a task of any client, which may be of another principal. */
  follow(task: string): Promise<void> {
    return this.#busy(() => this.#follow(task));
  }

  cancel(task: string): Promise<void> {
    return this.#busy(async () => {
      const isAcknowledged = await this.#wire.cancel(task).catch(() => false);
      if (isAcknowledged) this.#world.recorder.record({ type: 'task-cancelled', task, client: this.plan.name });
      await this.#read(task, (wire) => wire.read(task));
    });
  }

  get canList(): boolean {
    return this.#wire.list !== undefined;
  }

  list(): Promise<void> {
    return this.#busy(async () => {
      const { recorder } = this.#world;
      const { name: client, principal } = this.plan;
      const since = recorder.history.length;
      const tasks = await this.#wire.list?.().catch(() => undefined);
      if (tasks !== undefined) recorder.record({ type: 'tasks-listed', client, principal, since, tasks });
    });
  }

  async #follow(task: string): Promise<void> {
    for (let looks = 0; looks < maxLooks; looks++) {
      const seen = await this.#read(task, (wire) => wire.follow(task, this.#answerer(task)));
      if (seen?.status === 'unknown') return;
      if (seen?.outcome !== undefined || seen?.status === 'cancelled') break;
      await wait(500 + this.#world.random.below(1500));
    }
    await this.#read(task, (wire) => wire.follow(task, this.#answerer(task)));
  }

  async #read(task: string, read: (wire: TaskWire) => Promise<SeenTask>): Promise<SeenTask | undefined> {
    const { recorder } = this.#world;
    const { name: client, principal } = this.plan;
    const since = recorder.history.length;
    const seen = await read(this.#wire).catch(() => undefined);
    if (seen !== undefined) recorder.record({ type: 'task-read', task, client, principal, since, ...seen });
    return seen;
  }

  async #busy(run: () => Promise<void>): Promise<void> {
    this.open++;
    await run();
    this.open--;
  }
}
