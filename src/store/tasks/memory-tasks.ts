/** Tasks in the memory of this process. */
import { DueQueue } from './due-queue.ts';
import type { NewTask, StoredTask, TaskChange, TaskCreation, TaskPage, TaskStore } from './task-store.ts';

/** A store of tasks in the memory of this process. */
export interface MemoryTasks extends TaskStore {
  /** Forgets all tasks. For tests. */
  clear(): void;
}

interface Task {
  readonly id: string;
  readonly owner: string;
  readonly kind: string;
  readonly key: NewTask['key'];
  /** Counts the tasks of the store: those of an owner are listed by it. */
  readonly number: number;
  readonly journal: string[];
  readonly createdAt: number;
  data: string;
  isOver: boolean;
  version: number;
  updatedAt: number;
  claimableAt: number | undefined;
  endsAt: number;
}

interface Owner {
  /** By number, so in the order of their creation. */
  readonly tasks: Map<number, Task>;
  readonly keys: Map<string, Task>;
  live: number;
}

/** Creates a store of tasks in memory. `now` is in milliseconds since the Unix epoch. */
export const createMemoryTasks = (now: () => number = () => Date.now()): MemoryTasks => new TasksInMemory(now);

class TasksInMemory implements MemoryTasks {
  readonly #now: () => number;
  readonly #tasks = new Map<string, Task>();
  readonly #owners = new Map<string, Owner>();
  #claims = new Map<string, DueQueue<Task>>();
  #ends = new DueQueue<Task>();
  #ended = new DueQueue<Task>();
  #created = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  create(given: NewTask, maxPerOwner: number): TaskCreation {
    const owner = this.#ownerOf(given.owner);
    const earlier = given.key && owner.keys.get(given.key.name);
    if (earlier !== undefined)
      return earlier.key?.digest === given.key?.digest ? { task: this.#shown(earlier), isNew: false } : 'other-call';
    if (owner.live >= maxPerOwner) return 'full';
    const task = newTask(given, this.#created++, this.#now());
    this.#tasks.set(task.id, task);
    owner.tasks.set(task.number, task);
    if (task.key !== undefined) owner.keys.set(task.key.name, task);
    owner.live++;
    this.#queueClaim(task);
    this.#ends.add(task.endsAt, task);
    return { task: this.#shown(task), isNew: true };
  }

  read(id: string): StoredTask | undefined {
    const task = this.#tasks.get(id);
    return task && this.#shown(task);
  }

  write(
    { id, version }: StoredTask,
    { version: next, data, claimInMs, endsInMs, isOver, entries }: TaskChange,
  ): boolean {
    const task = this.#tasks.get(id);
    if (task === undefined || task.version !== version) return false;
    const moment = this.#now();
    if (isOver !== task.isOver) this.#ownerOf(task.owner).live += isOver ? -1 : 1;
    const endsAt = endsInMs === undefined ? task.endsAt : moment + endsInMs;
    const endChanged = endsAt !== task.endsAt || isOver !== task.isOver;
    Object.assign(task, { data, isOver, endsAt, updatedAt: moment, version: next ?? version + 1 });
    task.journal.push(...entries);
    task.claimableAt = claimInMs === undefined ? undefined : moment + claimInMs;
    this.#queueClaim(task);
    if (endChanged) (isOver ? this.#ended : this.#ends).add(endsAt, task);
    return true;
  }

  readJournal(id: string, from: number): readonly string[] {
    return this.#tasks.get(id)?.journal.slice(from) ?? [];
  }

  claimable(kinds: readonly string[], max: number): readonly StoredTask[] {
    const isCurrent = (task: Task, at: number): boolean => this.#has(task) && task.claimableAt === at;
    const found = [...new Set(kinds)].flatMap((kind) => this.#claims.get(kind)?.due(this.#now(), max, isCurrent) ?? []);
    found.sort((a, b) => (a.claimableAt ?? 0) - (b.claimableAt ?? 0) || a.number - b.number);
    return found.slice(0, max).map((task) => this.#shown(task));
  }

  ending(max: number): readonly StoredTask[] {
    const isCurrent = (task: Task, at: number): boolean => this.#has(task) && !task.isOver && task.endsAt === at;
    return this.#ends.due(this.#now(), max, isCurrent).map((task) => this.#shown(task));
  }

  list(owner: string, after: string | undefined, max: number): TaskPage {
    const from = after === undefined ? -1 : Number(after);
    const page: Task[] = [];
    const shown = (): StoredTask[] => page.map((task) => this.#shown(task));
    for (const task of this.#owners.get(owner)?.tasks.values() ?? []) {
      if (task.number <= from) continue;
      if (page.length === max) return { tasks: shown(), next: String(page[max - 1]?.number) };
      page.push(task);
    }
    return { tasks: shown(), next: undefined };
  }

  deleteEnded(max: number): number {
    const isCurrent = (task: Task, at: number): boolean => this.#has(task) && task.isOver && task.endsAt === at;
    const found = this.#ended.due(this.#now(), max, isCurrent);
    for (const task of found) this.#remove(task);
    return found.length;
  }

  clear(): void {
    this.#tasks.clear();
    this.#owners.clear();
    this.#claims = new Map();
    this.#ends = new DueQueue();
    this.#ended = new DueQueue();
  }

  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name) ?? { tasks: new Map(), keys: new Map(), live: 0 };
    this.#owners.set(name, known);
    return known;
  }

  #queueClaim(task: Task): void {
    if (task.claimableAt === undefined) return;
    const queue = this.#claims.get(task.kind) ?? new DueQueue();
    this.#claims.set(task.kind, queue);
    queue.add(task.claimableAt, task);
  }

  #has(task: Task): boolean {
    return this.#tasks.get(task.id) === task;
  }

  #remove(task: Task): void {
    const owner = this.#ownerOf(task.owner);
    this.#tasks.delete(task.id);
    owner.tasks.delete(task.number);
    if (task.key !== undefined && owner.keys.get(task.key.name) === task) owner.keys.delete(task.key.name);
    if (!task.isOver) owner.live--;
    if (owner.tasks.size === 0) this.#owners.delete(task.owner);
  }

  #shown({ id, owner, kind, data, isOver, version, createdAt, updatedAt, endsAt }: Task): StoredTask {
    return { id, owner, kind, data, isOver, version, createdAt, updatedAt, endsAt, now: this.#now() };
  }
}

const newTask = ({ id, owner, kind, key, data, entries, endsInMs }: NewTask, number: number, now: number): Task => ({
  id,
  owner,
  kind,
  key,
  number,
  journal: [...entries],
  createdAt: now,
  data,
  isOver: false,
  version: 1,
  updatedAt: now,
  claimableAt: now,
  endsAt: now + endsInMs,
});
