/** The tasks that one subscription follows: their client gets each as a whole when its status changes. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Deadline } from '../../../lib/time/deadlines.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { TaskSubscriber, TaskSubscription } from '../../ports/call-limits.ts';
import { isOver } from './engine/task.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { mayFollow } from './guarded-tasks.ts';
import { statusOf, wholeTask } from './task-fields.ts';

/** How often the tasks are read, since hints of other processes may be lost. */
const pollMs = 10_000;

interface Followed {
  /** The last state that was sent: its status, and which requests wait. */
  state: string;
  reading: 'no' | 'yes' | 'again';
  unfollow(): void;
}

const stateOf = ({ task }: TaskRecord): string =>
  [statusOf(task), ...(task.state.is === 'parked' ? task.state.open : [])].join(' ');

export class FollowedTasks implements TaskSubscription {
  readonly #serving: Serving;
  readonly #engine: TaskEngine;
  readonly #subscriber: TaskSubscriber;
  readonly #followed = new Map<string, Followed>();
  #deadline: Deadline | undefined;
  #isStopped = false;

  constructor(serving: Serving, engine: TaskEngine, subscriber: TaskSubscriber) {
    this.#serving = serving;
    this.#engine = engine;
    this.#subscriber = subscriber;
  }

  /** Tasks of other owners are left out, as unknown ones. */
  async find(ids: readonly string[]): Promise<this> {
    const found = await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const record = await this.#engine.read(id, this.#subscriber.owner);
        return record !== undefined && (await this.#mayFollow(record)) ? [id] : [];
      }),
    );
    for (const id of found.flat()) this.#followed.set(id, { state: 'working', reading: 'no', unfollow() {} });
    this.ids = found.flat();
    return this;
  }

  ids: readonly string[] = [];

  start(): void {
    if (this.#isStopped) return;
    for (const [id, one] of this.#followed) one.unfollow = this.#engine.follow(id, () => this.#refresh(id, one));
    this.#refreshAll();
  }

  stop(): void {
    this.#isStopped = true;
    for (const { unfollow } of this.#followed.values()) unfollow();
    this.#followed.clear();
    if (this.#deadline !== undefined) this.#serving.deadlines.cancel(this.#deadline);
  }

  #refreshAll(): void {
    for (const [id, one] of this.#followed) this.#refresh(id, one);
    if (this.#followed.size > 0) this.#deadline = this.#serving.deadlines.add(pollMs, () => this.#refreshAll(), false);
  }

  #refresh(id: string, one: Followed): void {
    if (one.reading !== 'no') {
      one.reading = 'again';
      return;
    }
    one.reading = 'yes';
    this.#read(id, one)
      .catch((error: unknown) => this.#serving.failed(error, { method: 'subscriptions/listen', target: id }))
      .finally(() => {
        const isBehind = one.reading === 'again';
        one.reading = 'no';
        if (isBehind) this.#refresh(id, one);
      });
  }

  /** Its journal is read if there is something to send: it may be long, and hundreds of subscriptions may follow one task. */
  async #read(id: string, one: Followed): Promise<void> {
    const { owner } = this.#subscriber;
    const record = await this.#engine.read(id, owner);
    if (record !== undefined && stateOf(record) === one.state && !isOver(record.task)) return;
    const view = record && (await this.#engine.view(id, owner));
    const isAllowed = view !== undefined && (await this.#mayFollow(view));
    if (this.#followed.get(id) !== one) return;
    if (!isAllowed) return this.#forget(id, one);
    const state = stateOf(view);
    if (state !== one.state) this.#notify(view);
    one.state = state;
    if (isOver(view.task)) this.#forget(id, one);
  }

  #mayFollow(record: TaskRecord): Promise<boolean> {
    return mayFollow(this.#engine, this.#serving.guard, this.#subscriber.caller, record);
  }

  #notify(view: TaskView): void {
    const { revision, notify } = this.#subscriber;
    const task = wholeTask(view, revision, this.#serving.registry().info);
    if (!(task instanceof RpcError)) notify(task);
  }

  #forget(id: string, one: Followed): void {
    one.unfollow();
    this.#followed.delete(id);
  }
}
