/** The tasks of a server: their engine is created with the first task, or when a store may hold some. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import type { Settled } from '../../../ports/call-outcome.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { durabilityOf, isLasting, requireDurability } from '../../../store/durability.ts';
import { createMemoryStore } from '../../../store/memory.ts';
import type { Store } from '../../../store/store.ts';
import { Invocation } from '../../features/invocation.ts';
import type { UsedStore } from '../../kernel/attached-store.ts';
import type { SourceTasks } from '../../kernel/feature-source.ts';
import type { Serving } from '../../kernel/serving.ts';
import type {
  CompiledTask,
  TaskCalls,
  TaskClient,
  TaskCounts,
  TaskInvocation,
  TaskSubscriber,
  TaskSubscription,
} from '../../ports/call-limits.ts';
import type { TaskStatusChange } from '../../ports/change-notifications.ts';
import type { Journal } from '../../ports/journal.ts';
import type { TaskLimitSettings } from '../../ports/option-settings.ts';
import { CallTasks } from './call-tasks.ts';
import { isOver } from './engine/task.ts';
import { type ChangedTask, TaskEngine, taskSettings } from './engine/task-engine.ts';
import { mayFollow } from './guarded-tasks.ts';
import { ServerTasks } from './server-tasks.ts';
import { contentOf, taskStatus } from './task-fields.ts';
import { FollowedTasks } from './task-subscription.ts';

interface Created {
  readonly tasks: ServerTasks;
  readonly calls: CallTasks;
  readonly engine: TaskEngine;
  readonly waiting: WaitingTasks;
}

export class LazyTasks implements TaskCalls {
  readonly #serving: () => Serving;
  readonly #revisions: readonly Revision[];
  readonly #limits: TaskLimitSettings;
  #created: Created | undefined;
  /** Endpoints and connections that serve the server with a store. */
  #users = 0;

  constructor(serving: () => Serving, revisions: readonly Revision[], limits: TaskLimitSettings) {
    this.#limits = limits;
    this.#serving = serving;
    this.#revisions = revisions;
  }

  get isOffered(): boolean {
    const { registry, source, store } = this.#serving();
    if (registry().hasTasks || source?.tasks?.isOffered() === true) return true;
    // Tasks of an earlier process: which tools there are is known when a caller comes.
    return source?.tasks !== undefined && store.current !== undefined && isLasting(store.current);
  }

  begin(invocation: TaskInvocation, task: CompiledTask, journal?: Journal): Promise<Settled> {
    return this.#outcome(({ calls }) => calls.begin(invocation, task, journal));
  }

  run(invocation: TaskInvocation, task: CompiledTask, handle: () => MaybePromise<Settled>): Promise<Settled> {
    // Where the client decides, it waits for its task and not for the outcome.
    if (!(invocation instanceof Invocation) || invocation.caller.revision.tasks?.decidedBy !== 'server')
      return this.begin(invocation, task);
    return this.#outcome(({ calls }) => calls.run(invocation, task, handle));
  }

  serve(invocation: TaskInvocation): Promise<Settled> {
    return this.#outcome(({ tasks }) => tasks.serve(invocation));
  }

  ask(taskId: string, owner: string, client: TaskClient): void {
    this.#get()
      .tasks.ask(taskId, owner, client)
      .catch((error: unknown) => this.#failed(error));
  }

  /** Without an engine there are no tasks: it is created with the first one, or with a store. */
  revoke(owner: string): void {
    this.#created?.engine.cancelAll(owner).catch((error: unknown) => this.#failed(error));
  }

  counts(): TaskCounts {
    if (!this.isOffered) return {};
    const { engine, waiting } = this.#created ?? {};
    return { runningTasks: engine?.running ?? 0, waitingTasks: waiting?.size ?? 0 };
  }

  subscribe(subscriber: TaskSubscriber, ids: readonly string[]): Promise<TaskSubscription> {
    return new FollowedTasks(this.#serving(), this.#get().engine, subscriber).find(ids);
  }

  /** Throws `store-not-durable` for a store that may lose tasks which others find there. */
  #check(store: Store): void {
    // A set `tasks.durability` is checked elsewhere. A store of unknown durability only gets a warning.
    if (!this.isOffered || this.#limits.durability !== undefined) return;
    if (isLasting(store) && durabilityOf(store) !== 'unknown')
      requireDurability(store, {
        option: "task of a tool (tasks.durability: 'memory' allows less)",
        durability: 'process',
      });
  }

  /** Attaches a store: tasks of earlier processes may wait in it. They are handed over before it is released. */
  use(store: Store, attach: () => UsedStore): UsedStore {
    this.#check(store);
    const used = attach();
    this.#users++;
    if (this.isOffered && used.store.tasks !== undefined) this.#get();
    let isReleased = false;
    return {
      store: used.store,
      release: async () => {
        if (!isReleased && --this.#users === 0) await this.#close();
        isReleased = true;
        await used.release();
      },
    };
  }

  /** Steps that run are waited for, up to a limit: another process would run them again. */
  async #close(): Promise<void> {
    const { engine } = this.#created ?? {};
    this.#created = undefined;
    if (engine === undefined) return;
    const { deadlines } = this.#serving();
    await new Promise<void>((resolve) => {
      const deadline = deadlines.add(this.#limits.shutdownMs, resolve);
      engine
        .close()
        .catch((error: unknown) => this.#failed(error))
        .finally(() => {
          deadlines.cancel(deadline);
          resolve();
        });
    });
  }

  async #outcome(serve: (created: Created) => MaybePromise<Settled>): Promise<Settled> {
    try {
      return await serve(this.#get());
    } catch (error) {
      if (!isOfStore(error)) throw error;
      this.#failed(error);
      return storeUnavailable;
    }
  }

  #failed(error: unknown): void {
    this.#serving().failed(error, { method: 'tasks', target: '' });
  }

  #get(): Created {
    this.#created ??= this.#create();
    return this.#created;
  }

  #create(): Created {
    const serving = this.#serving();
    const { current = createMemoryStore() } = serving.store;
    const waiting = new WaitingTasks();
    const engine: TaskEngine = new TaskEngine(
      {
        serving,
        tasks: current.tasks ?? createMemoryStore().tasks,
        bus: current.bus,
        kinds: () => kindsOf(serving),
        revision: (id) => this.#revisions.find((one) => one.id === id),
        changed: (changed) => {
          waiting.changed(changed);
          publish(serving, engine, changed);
          if (changed !== undefined && serving.source?.tasks?.has(changed.id) === true)
            endAtSource(serving.source.tasks, engine, changed).catch((error: unknown) => this.#failed(error));
        },
      },
      taskSettings(this.#limits),
    );
    engine.start();
    return { engine, waiting, tasks: new ServerTasks(serving, engine), calls: new CallTasks(serving, engine) };
  }
}

/** Notifies the sessions of this process, which read the task if they follow it. */
function publish(serving: Serving, engine: TaskEngine, changed: ChangedTask | undefined): void {
  const read = async (id: string) => {
    const found = await engine.find(id);
    return found && taskStatus(found);
  };
  const outcomeOf: TaskStatusChange['outcomeOf'] = async ({ info, owner }, revision, caller) => {
    const view = await engine.view(info.taskId, owner);
    if (view === undefined || !(await mayFollow(engine, serving.guard, caller, view))) return undefined;
    const content = contentOf(view, revision, serving.registry().info);
    const isError = content instanceof RpcError;
    return { content: isError ? { error: revision.wire.writeError(revision, content) } : content };
  };
  const { changes } = serving;
  if (changed === undefined) return changes.publish({ kind: 'task', task: undefined, read, outcomeOf });
  const { id, session, record } = changed;
  if (session === undefined) return;
  const readNow = record ? () => taskStatus(record) : read;
  changes.publish({ kind: 'task', task: { id, session }, read: readNow, outcomeOf });
}

/** A source ends what runs elsewhere for a task that is over. */
async function endAtSource(tasks: SourceTasks, engine: TaskEngine, { id, record }: ChangedTask): Promise<void> {
  const found = record ?? (await engine.find(id));
  if (found === undefined || isOver(found.task)) tasks.ended(id);
}

function kindsOf({ registry, source }: Serving): string[] {
  const { info, tools } = registry();
  const own = [...tools.values()].flatMap(({ task }) => (task === undefined ? [] : [task.kind]));
  return [...own, ...(source?.tasks?.kinds() ?? [])].map((kind) => `${info.name}/${kind}`);
}

const isOfStore = (error: unknown): boolean => error instanceof TenonError && error.code.startsWith('store-');

/** Not an internal error, which would look like the outcome of the task. */
const storeUnavailable = rpcError('overloaded', 'The store of tasks is unavailable. Try again later.', {
  retryAfterMs: 1000,
});

/**
 * Tasks that `stats().waitingTasks` counts.
 * @limit server
 * @beyond further ones are not counted
 */
const maxCounted = 10_000;

class WaitingTasks {
  readonly #ids = new Set<string>();

  get size(): number {
    return this.#ids.size;
  }

  /** `undefined` if any may have changed: then none is known to wait. */
  changed(changed: ChangedTask | undefined): void {
    if (changed === undefined) return this.#ids.clear();
    const { id, record } = changed;
    const { state } = record?.task ?? {};
    const isWaiting = state?.is === 'parked' && state.open.length > 0;
    if (!isWaiting) this.#ids.delete(id);
    else if (this.#ids.size < maxCounted) this.#ids.add(id);
  }
}
