/** Tasks and their journals in Redis: those of one owner are in one shard, and a shard in one slot of a cluster. */
import { taskShards } from '../store/tasks/task-id.ts';
import type { StoredTask, TaskStore } from '../store/tasks/task-store.ts';
import { named } from './connection/connection.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

/** A task, and the number or moment by which a script found it. */
type Row = readonly (string | null)[];

const shards = Array.from({ length: taskShards }, (_, n) => n.toString(16));
const shardOfId = (id: string): string => id.slice(0, 1);

export function createRedisTasks(redis: ScriptedRedis, keys: RedisKeys): TaskStore {
  const ofId = (id: string) => keys.tasks(shardOfId(id));

  /** The tasks that are due in all shards, by their moments. */
  async function due(max: number, setsOf: (shard: string) => readonly string[]): Promise<StoredTask[]> {
    const found = await Promise.all(
      shards.map((shard) => redis.run('dueTasks', setsOf(shard), [max, keys.tasks(shard).task('')])),
    );
    const rows = (found as Row[][]).flat().sort((a, b) => Number(a[10]) - Number(b[10]));
    return rows.slice(0, max).map(taskOf);
  }

  async function read(id: string): Promise<StoredTask | undefined> {
    const row = (await redis.run('readTask', [ofId(id).task(id)], [])) as Row | null;
    return row === null ? undefined : taskOf(row);
  }

  return {
    async create(task, maxPerOwner) {
      const { id, owner, kind, key, data, entries, endsInMs } = task;
      const of = ofId(id);
      const names = [
        of.task(id),
        of.journal(id),
        of.owner(owner),
        of.live(owner),
        of.key(owner, key?.name ?? ''),
        of.claimable(kind),
        of.ends,
        of.count,
      ];
      const values = [id, owner, kind, data, endsInMs, maxPerOwner, key === undefined ? '0' : '1', key?.digest ?? ''];
      const made = await redis.run('createTask', names, [...values, ...entries]);
      if (made === 'full' || made === 'other-call') return made;
      const row = made as Row;
      if (row[0] !== 'earlier') return { task: taskOf(row), isNew: true };
      const earlier = await read(row[1] as string);
      // Deleted between the two: its key is free again.
      return earlier === undefined ? this.create(task, maxPerOwner) : { task: earlier, isNew: false };
    },
    read,
    async write(
      { id, owner, kind, version },
      { version: next = version + 1, data, claimInMs, endsInMs, isOver, entries },
    ) {
      const of = ofId(id);
      const names = [of.task(id), of.journal(id), of.live(owner), of.claimable(kind), of.ends, of.over];
      const values = [id, version, data, isOver ? '1' : '0', claimInMs ?? '', endsInMs ?? '', next, ...entries];
      return (await redis.run('writeTask', names, values)) === 1;
    },
    readJournal: (id, from) => named(redis.redis.lrange(ofId(id).journal(id), from, -1)),
    claimable: async (kinds, max) =>
      kinds.length === 0 ? [] : due(max, (shard) => [...new Set(kinds)].map(keys.tasks(shard).claimable)),
    ending: (max) => due(max, (shard) => [keys.tasks(shard).ends]),
    async list(owner, after, max) {
      // All of them are in one shard, that of the owner's name as the server knows it.
      const found = await Promise.all(
        shards.map((shard) => {
          const of = keys.tasks(shard);
          return redis.run('listTasks', [of.owner(owner)], [after ?? 0, max + 1, of.task('')]);
        }),
      );
      const rows = (found as Row[][]).flat();
      const page = rows.slice(0, max);
      return { tasks: page.map(taskOf), next: rows.length > max ? (page.at(-1)?.[10] ?? undefined) : undefined };
    },
    async deleteEnded(max) {
      let deleted = 0;
      for (const shard of shards) {
        if (deleted >= max) break;
        const of = keys.tasks(shard);
        const values = [max - deleted, of.task(''), of.journal(''), of.owner('')];
        deleted += Number(await redis.run('deleteTasks', [of.over], values));
      }
      return deleted;
    },
  };
}

function taskOf(row: Row): StoredTask {
  const [id, owner, kind, data, over, version, createdAt, updatedAt, endsAt, now] = row as readonly string[];
  return {
    id: id ?? '',
    owner: owner ?? '',
    kind: kind ?? '',
    data: data ?? '',
    isOver: over === '1',
    version: Number(version),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    endsAt: Number(endsAt),
    now: Number(now),
  };
}
