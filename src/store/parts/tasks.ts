/** Tasks on an engine: a row each, which workers take when it is due, and a log that is its journal. */
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../codec.ts';
import type { DueEntry, GroupChars, GroupMember, Op, Row, StoreDriver, Taken } from '../driver.ts';
import type { NewTask, StoredTask, TakenTask, TaskChange, TaskRoom, TaskStore } from '../task-store.ts';
import { type Hint, publishOp } from './bus.ts';
import { atMost, rowIn, rowsIn, shardOf, shards } from './runs.ts';
import { allJournals, charsOf, journalLog, type TaskJournals, taskJournals } from './task-journals.ts';

/** A task is in the partition of its owner, whose shard its ID begins with. */
const partitionOf = (shard: string): string => `tasks:${shard}`;
const partitions = shards.map(partitionOf);
const partitionOfId = (id: string): string => partitionOf(id.slice(0, 1));

/** The queue of tasks whose end has come. Kinds have an `@` in them. */
const endsQueue = 'ends';

export function tasksOn(driver: StoreDriver, codec: Codec): TaskStore {
  const journals = taskJournals(driver, codec);
  const rows = taskRows(codec, journals);
  const { ownerOf, taskOf, takenOf } = rows;

  function take(
    queues: readonly string[],
    max: number,
    holder: string,
    leaseMs: number,
  ): MaybePromise<readonly TakenTask[]> {
    if (queues.length === 0) return [];
    const request = { partitions, queues: [...new Set(queues)], max, holder, leaseMs, log: journalLog };
    return mapped(driver.take(request), (found) => found.map((one) => takenOf(one, one.row.taken?.at ?? 0)));
  }

  return {
    create: (task, room) => createTask(driver, rows, task, room),
    read: (id) =>
      mapped(driver.run(partitionOfId(id), [{ op: 'get', key: id }]), (ran) => {
        const row = ran.failed === undefined ? rowIn(ran.results[0]) : undefined;
        // Other rows have no kind: the ID comes from a client.
        return row?.fields.kind === undefined ? undefined : taskOf(row, ran.now);
      }),
    write: (task, change) => writeTask(driver, rows, task, change),
    readJournal: (id, from) => journals.read(partitionOfId(id), id, from),
    take,
    takeEnding: (max, holder, leaseMs) => take([endsQueue], max, holder, leaseMs),
    list: (owner, after, max) =>
      mapped(
        driver.run(partitionOf(shardOf(owner)), [
          {
            op: 'list',
            group: `of:${ownerOf(owner)}`,
            ...(after !== undefined && { after: Number(after) }),
            max: max + 1,
          },
        ]),
        (ran) => {
          const rows = ran.failed === undefined ? rowsIn(ran.results[0]) : [];
          const page = rows.slice(0, max);
          const next = rows.length > max ? String(page.at(-1)?.number) : undefined;
          return { tasks: page.map((row) => taskOf(row, ran.now)), next };
        },
      ),
  };
}

type TaskRows = ReturnType<typeof taskRows>;

/** Tasks as rows, and what is written with them. */
function taskRows(codec: Codec, journals: TaskJournals) {
  const dataPath = (id: string): Path => ['task', id];
  const ownerOf = (owner: string): string => (owner === '' ? '' : codec.name(['owner', owner]));

  /** The name of an owner is private, so that it is with the data; what is stored beside them stands for it. */
  const sealed = (id: string, owner: string, data: string): string =>
    codec.seal(dataPath(id), codec.hidesNames ? JSON.stringify([owner, data]) : data);

  function taskOf(row: Row, now: number): StoredTask {
    const { fields, version, createdAt, updatedAt, taken } = row;
    const id = row.key;
    const isOver = fields.over !== undefined;
    const text = codec.open(dataPath(id), row.data ?? '');
    const [owner, data] = codec.hidesNames ? (JSON.parse(text) as [string, string]) : [fields.owner ?? '', text];
    const endsAt = isOver ? (row.expiresAt ?? Infinity) : createdAt + Number(fields.life);
    const isTaken = taken !== undefined && taken.queue !== endsQueue;
    return {
      id,
      owner,
      share: fields.share ?? fields.owner ?? '',
      kind: fields.kind ?? '',
      queue: fields.queue ?? fields.kind ?? '',
      data,
      isOver,
      version,
      createdAt,
      updatedAt,
      endsAt,
      now,
      ...(fields.chars !== undefined && !isOver && { journalChars: Number(fields.chars) }),
      ...(isTaken && { taken: { count: taken.count, at: taken.at } }),
    };
  }

  const hintOps = (hint: Hint | undefined): readonly Op[] => (hint === undefined ? [] : [publishOp(hint, codec)]);

  /**
   * The tasks of an owner are listed. Those without one are one list, which is counted apart from the others. `live` has the
   * characters of the journal of a task that is not over.
   */
  function groupsOf(owner: string, share: string, live: number | undefined, room?: TaskRoom): readonly GroupMember[] {
    const [inShare, inShard] = [atMost(room?.maxStored), atMost(room?.maxInShard)];
    const stored =
      owner === ''
        ? [
            { name: `stored:${share}`, ...inShare },
            { name: 'of:', ...inShard },
          ]
        : [
            { name: `of:${ownerOf(owner)}`, ...inShare },
            { name: 'owned', ...inShard },
          ];
    if (live === undefined) return stored;
    const large = live > uncountedChars ? [{ name: largeGroup(share) }, { name: allJournals(owner) }] : [];
    return [{ name: liveGroup(share), ...atMost(room?.maxLive) }, ...stored, ...large];
  }

  const takenOf = ({ row, log }: Taken, now: number): TakenTask => ({
    task: taskOf(row, now),
    entries: journals.opened(row.key, log?.entries ?? []),
  });

  const nameOf = (path: Path): string => codec.name(path);

  return { nameOf, ownerOf, sealed, taskOf, takenOf, hintOps, groupsOf, journals };
}

function createTask(
  driver: StoreDriver,
  rows: TaskRows,
  task: NewTask,
  room: TaskRoom,
): ReturnType<TaskStore['create']> {
  const { ownerOf, sealed, groupsOf, journals, hintOps, taskOf, nameOf } = rows;
  const { id, owner, kind, key, data, entries, claimInMs = 0, endsInMs, hint } = task;
  const name = ownerOf(owner);
  const share = task.share === undefined ? name : nameOf(['share', task.share]);
  const digest = key && nameOf(['task digest', owner, key.digest]);
  const journalChars = charsOf(entries);
  const put: Op = {
    op: 'put',
    key: id,
    when: 'absent',
    version: newVersion(),
    data: sealed(id, owner, data),
    chars: data.length + journalChars,
    fields: {
      owner: name,
      share,
      kind,
      life: String(endsInMs),
      chars: String(journalChars),
      ...(digest !== undefined && { digest }),
    },
    // Other owners of the partition may have the same key.
    ...(key && { alias: JSON.stringify([name, nameOf(['task key', owner, key.name])]) }),
    groups: groupsOf(owner, share, journalChars, room),
    below: belowOf(owner, share, room),
    due: [
      { queue: kind, lane: share, inMs: claimInMs },
      { queue: endsQueue, inMs: endsInMs },
    ],
  };
  const ops = [put, ...journals.appendOps(id, entries), ...hintOps(hint)];
  return mapped(driver.run(partitionOfId(id), ops, 'disk'), (ran) => {
    if (ran.failed === undefined) {
      const { version, createdAt, updatedAt } = rowIn(ran.results[0]) as Row;
      const times = { version, createdAt, updatedAt, endsAt: createdAt + endsInMs, now: ran.now };
      return {
        task: { id, owner, share, kind, queue: kind, data, isOver: false, journalChars, ...times },
        isNew: true,
      };
    }
    if (ran.why === 'full') return isOfLive(ran.group, share) ? 'full' : 'too-many';
    const earlier = ran.row as Row;
    if (ran.why === 'alias' && earlier.fields.digest !== digest) return 'other-call';
    return { task: taskOf(earlier, ran.now), isNew: false };
  });
}

function writeTask(driver: StoreDriver, rows: TaskRows, task: StoredTask, change: TaskChange): MaybePromise<boolean> {
  const { sealed, groupsOf, journals, hintOps } = rows;
  const { id, owner, share, kind, version } = task;
  const { data, claimInMs, endsInMs, isOver, entries, hint } = change;
  if (isOver) return endTask(driver, rows, task, change);
  const queue = change.queue ?? kind;
  const due: DueEntry[] = [{ queue, inMs: claimInMs, lane: share }];
  if (queue !== task.queue) due.push({ queue: task.queue, inMs: undefined });
  if (endsInMs !== undefined) due.push({ queue: endsQueue, inMs: endsInMs });
  const journalChars = (task.journalChars ?? 0) + charsOf(entries);
  const put: Op = {
    op: 'put',
    key: id,
    when: { version },
    version: change.version ?? newVersion(),
    data: sealed(id, owner, data),
    chars: data.length + journalChars,
    fields: {
      ...(entries.length > 0 && { chars: String(journalChars) }),
      ...(endsInMs !== undefined && { life: String(task.now - task.createdAt + endsInMs) }),
      ...(queue !== task.queue && { queue: queue === kind ? null : queue }),
    },
    groups: groupsOf(owner, share, journalChars),
    due,
  };
  const ops = [put, ...journals.appendOps(id, entries), ...hintOps(hint)];
  return mapped(driver.run(partitionOfId(id), ops, 'disk'), ({ failed }) => failed === undefined);
}

/** Every entry comes with another version of its task: a journal that is read after the task is whole if the version holds. */
function endTask(driver: StoreDriver, rows: TaskRows, task: StoredTask, change: TaskChange): MaybePromise<boolean> {
  const { sealed, groupsOf, hintOps, journals } = rows;
  const { id, owner, share, kind, queue, version } = task;
  const { data, endsInMs, entries, hint, room } = change;
  const expiresInMs = endsInMs ?? Math.max(0, task.endsAt - task.now);
  const put: Op = {
    op: 'put',
    key: id,
    when: { version },
    version: change.version ?? newVersion(),
    data: sealed(id, owner, data),
    chars: data.length,
    fields: { over: '1', ...(queue !== kind && { queue: null }) },
    groups: groupsOf(owner, share, undefined),
    due: [
      { queue, inMs: undefined, lane: share },
      { queue: endsQueue, inMs: undefined },
    ],
    expiresInMs,
  };
  const partition = partitionOfId(id);
  return mapped(journals.read(partition, id, 0), (earlier) => {
    const ops = [put, ...journals.endOps(task, [...earlier, ...entries], expiresInMs, room), ...hintOps(hint)];
    return mapped(driver.run(partition, ops, 'disk'), ({ failed }) => failed === undefined);
  });
}

/** Journals of tasks that are not over are counted from this size on. Smaller ones are limited by their number, and cost nothing more. */
const uncountedChars = 4096;

const liveGroup = (share: string): string => `live:${share}`;

/** Tasks that are not over and have a journal that is counted. */
const largeGroup = (share: string): string => `large:${share}`;

const isOfLive = (group: string | undefined, share: string): boolean =>
  group === liveGroup(share) || group === largeGroup(share);

/** What a share and a shard must have less of before another task. */
const belowOf = (owner: string, share: string, { maxLiveChars, maxCharsInShard }: TaskRoom): readonly GroupChars[] => [
  ...(maxLiveChars === undefined ? [] : [{ group: largeGroup(share), chars: maxLiveChars }]),
  ...(maxCharsInShard === undefined ? [] : [{ group: allJournals(owner), chars: maxCharsInShard }]),
];

/** Random, so that a store that lost its last writes does not give a version again that a worker remembers. */
const newVersion = (): string => crypto.randomUUID();
