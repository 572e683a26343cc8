/** The tasks of a server, whose code is loaded with the first task, or when a store may hold some. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { CompiledTask, TaskCalls, TaskInvocation } from '../../ports/call-limits.ts';
import type { CallOutcome } from '../../ports/call-outcome.ts';
import type { Journal } from '../../ports/journal.ts';
import type { ServerTasks } from './server-tasks.ts';
import type { TaskEngine } from './task-engine.ts';

interface Loaded {
  readonly tasks: ServerTasks;
  readonly engine: TaskEngine;
}

export class LazyTasks implements TaskCalls {
  readonly #serving: () => Serving;
  readonly #revisions: readonly Revision[];
  #loaded: Promise<Loaded> | undefined;

  constructor(serving: () => Serving, revisions: readonly Revision[]) {
    this.#serving = serving;
    this.#revisions = revisions;
  }

  get isOffered(): boolean {
    return this.#serving().registry().hasTasks;
  }

  begin(invocation: TaskInvocation, task: CompiledTask, journal?: Journal): void {
    this.#settle(invocation, ({ tasks }) => tasks.begin(invocation, task, journal));
  }

  serve(invocation: TaskInvocation): void {
    this.#settle(invocation, ({ tasks }) => tasks.serve(invocation));
  }

  /** A store was attached: tasks of earlier processes may wait in it. */
  start(): void {
    if (this.isOffered && this.#serving().store.current?.tasks !== undefined)
      this.#load().catch((error) => this.#serving().failed(error, { method: 'tasks', target: '' }));
  }

  /** Hands running tasks over to other processes. */
  async close(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    await (await loaded)?.engine.close();
  }

  #settle(invocation: TaskInvocation, run: (loaded: Loaded) => Promise<CallOutcome | RpcError>): void {
    this.#load()
      .then(run)
      .then((settled) => invocation.finish(settled))
      .catch((error: unknown) => invocation.fail(error));
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= this.#create();
    return this.#loaded;
  }

  async #create(): Promise<Loaded> {
    const [{ TaskEngine }, { ServerTasks }, { createMemoryTasks }, { createMemoryStore }] = await Promise.all([
      import('./task-engine.ts'),
      import('./server-tasks.ts'),
      import('../../../store/tasks/memory-tasks.ts'),
      import('../../../store/memory.ts'),
    ]);
    const serving = this.#serving();
    const { current = createMemoryStore() } = serving.store;
    const engine = new TaskEngine({
      serving,
      tasks: current.tasks ?? createMemoryTasks(),
      bus: current.bus,
      kinds: () => kindsOf(serving),
      revision: (id) => this.#revisions.find((one) => one.id === id),
    });
    engine.start();
    return { engine, tasks: new ServerTasks(serving, engine) };
  }
}

function kindsOf({ registry }: Serving): string[] {
  const { info, tools } = registry();
  return [...tools.values()].flatMap(({ task }) => (task === undefined ? [] : [`${info.name}/${task.kind}`]));
}
