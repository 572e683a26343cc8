/** Tasks in the memory of this process. */
import { DueQueue } from './due-queue.ts';
import type { NewTask, StoredTask, TaskChange, TaskCreation, TaskPage, TaskStore } from './task-store.ts';

/** A store of tasks in the memory of this process. */
export interface MemoryTasks extends TaskStore {
  create(task: NewTask, maxPerOwner: number): TaskCreation;
  read(id: string): StoredTask | undefined;
  write(task: StoredTask, change: TaskChange): boolean;
  readJournal(id: string, from: number): readonly string[];
  claimable(kinds: readonly string[], max: number): readonly StoredTask[];
  ending(max: number): readonly StoredTask[];
  list(owner: string, after: string | undefined, max: number): TaskPage;
  deleteEnded(max: number): number;
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
export function createMemoryTasks(now: () => number = () => Date.now()): MemoryTasks {
  const tasks = new Map<string, Task>();
  const owners = new Map<string, Owner>();
  let claims = new Map<string, DueQueue<Task>>();
  let ends = new DueQueue<Task>();
  let ended = new DueQueue<Task>();
  let created = 0;

  function ownerOf(name: string): Owner {
    const known = owners.get(name) ?? { tasks: new Map(), keys: new Map(), live: 0 };
    owners.set(name, known);
    return known;
  }

  function queueClaim(task: Task): void {
    if (task.claimableAt === undefined) return;
    const queue = claims.get(task.kind) ?? new DueQueue();
    claims.set(task.kind, queue);
    queue.add(task.claimableAt, task);
  }

  const isStored = (task: Task): boolean => tasks.get(task.id) === task;

  function remove(task: Task): void {
    const owner = ownerOf(task.owner);
    tasks.delete(task.id);
    owner.tasks.delete(task.number);
    if (task.key !== undefined && owner.keys.get(task.key.name) === task) owner.keys.delete(task.key.name);
    if (!task.isOver) owner.live--;
    if (owner.tasks.size === 0) owners.delete(task.owner);
  }

  const shown = ({ id, owner, kind, data, isOver, version, createdAt, updatedAt, endsAt }: Task): StoredTask => ({
    id,
    owner,
    kind,
    data,
    isOver,
    version,
    createdAt,
    updatedAt,
    endsAt,
    now: now(),
  });

  return {
    create(given, maxPerOwner) {
      const owner = ownerOf(given.owner);
      const earlier = given.key && owner.keys.get(given.key.name);
      if (earlier !== undefined)
        return earlier.key?.digest === given.key?.digest ? { task: shown(earlier), isNew: false } : 'other-call';
      if (owner.live >= maxPerOwner) return 'full';
      const moment = now();
      const task: Task = {
        id: given.id,
        owner: given.owner,
        kind: given.kind,
        key: given.key,
        number: created++,
        journal: [...given.entries],
        createdAt: moment,
        data: given.data,
        isOver: false,
        version: 1,
        updatedAt: moment,
        claimableAt: moment,
        endsAt: moment + given.endsInMs,
      };
      tasks.set(task.id, task);
      owner.tasks.set(task.number, task);
      if (task.key !== undefined) owner.keys.set(task.key.name, task);
      owner.live++;
      queueClaim(task);
      ends.add(task.endsAt, task);
      return { task: shown(task), isNew: true };
    },
    read(id) {
      const task = tasks.get(id);
      return task && shown(task);
    },
    write({ id, version }, { data, claimInMs, endsInMs, isOver, entries }) {
      const task = tasks.get(id);
      if (task === undefined || task.version !== version) return false;
      const moment = now();
      if (isOver !== task.isOver) ownerOf(task.owner).live += isOver ? -1 : 1;
      const endsAt = endsInMs === undefined ? task.endsAt : moment + endsInMs;
      const endChanged = endsAt !== task.endsAt || isOver !== task.isOver;
      Object.assign(task, { data, isOver, endsAt, updatedAt: moment, version: version + 1 });
      task.journal.push(...entries);
      task.claimableAt = claimInMs === undefined ? undefined : moment + claimInMs;
      queueClaim(task);
      if (endChanged) (isOver ? ended : ends).add(endsAt, task);
      return true;
    },
    readJournal: (id, from) => tasks.get(id)?.journal.slice(from) ?? [],
    claimable(kinds, max) {
      const found: Task[] = [];
      for (const kind of new Set(kinds)) {
        const isCurrent = (task: Task, at: number): boolean => isStored(task) && task.claimableAt === at;
        found.push(...(claims.get(kind)?.due(now(), max, isCurrent) ?? []));
      }
      found.sort((a, b) => (a.claimableAt ?? 0) - (b.claimableAt ?? 0) || a.number - b.number);
      return found.slice(0, max).map(shown);
    },
    ending: (max) =>
      ends.due(now(), max, (task, at) => isStored(task) && !task.isOver && task.endsAt === at).map(shown),
    list(owner, after, max) {
      const from = after === undefined ? -1 : Number(after);
      const page: Task[] = [];
      for (const task of owners.get(owner)?.tasks.values() ?? []) {
        if (task.number <= from) continue;
        if (page.length === max) return { tasks: page.map(shown), next: String(page[max - 1]?.number) };
        page.push(task);
      }
      return { tasks: page.map(shown), next: undefined };
    },
    deleteEnded(max) {
      const found = ended.due(now(), max, (task, at) => isStored(task) && task.isOver && task.endsAt === at);
      for (const task of found) remove(task);
      return found.length;
    },
    clear() {
      tasks.clear();
      owners.clear();
      claims = new Map();
      ends = new DueQueue();
      ended = new DueQueue();
    },
  };
}
