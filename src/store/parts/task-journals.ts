/** The journals of tasks: a log each and, once the task is over, a row that can be deleted for room while the task stays. */
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../codec.ts';
import type { AppendOp, Op, PutOp, Row, StoreDriver } from '../driver.ts';
import type { JournalRoom, StoredTask } from '../task-store.ts';
import { anyVersion, atMost, logIn, rowIn } from './runs.ts';

/** The name of the log. */
export const journalLog = 'journal';

const rowOf = (id: string): string => `${id} journal`;

/** The group of the journals of a shard. Tasks without an owner are counted apart. */
export const allJournals = (owner: string): string => (owner === '' ? 'journals' : 'owned journals');

export const charsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

export type TaskJournals = ReturnType<typeof taskJournals>;

export function taskJournals(driver: StoreDriver, codec: Codec) {
  const entryPath = (id: string): Path => ['task entry', id];

  const opened = (id: string, entries: readonly { readonly data: string }[]): readonly string[] =>
    entries.map(({ data }) => codec.open(entryPath(id), data));

  /** Empty if it was deleted for room. */
  const openedRow = (id: string, { data }: Row): readonly string[] =>
    data === undefined ? [] : (JSON.parse(codec.open(entryPath(id), data)) as string[]);

  function appendOps(id: string, texts: readonly string[]): readonly AppendOp[] {
    if (texts.length === 0) return [];
    const entries = texts.map((text) => ({ data: codec.seal(entryPath(id), text), chars: text.length }));
    return [{ op: 'append', row: id, log: journalLog, entries }];
  }

  /** Moves the journal of a task that is over from its log to its row. */
  function endOps(
    { id, owner, share }: StoredTask,
    texts: readonly string[],
    expiresInMs: number,
    room?: JournalRoom,
  ): readonly Op[] {
    const put: PutOp = {
      op: 'put',
      key: rowOf(id),
      version: anyVersion,
      data: codec.seal(entryPath(id), JSON.stringify(texts)),
      chars: charsOf(texts),
      expiresInMs,
      groups: [
        {
          name: `journals:${share}`,
          ...atMost(room?.maxJournals, room?.maxChars),
          beyond: 'delete-oldest',
        },
        { name: allJournals(owner) },
      ],
    };
    return [{ op: 'trim', row: id, steps: 'all' }, put];
  }

  /** From its log or, once the task is over, from its row. */
  function read(partition: string, id: string, from: number): MaybePromise<readonly string[]> {
    const ops: Op[] = [
      { op: 'entries', row: id, log: journalLog, after: from },
      { op: 'get', key: rowOf(id) },
    ];
    return mapped(driver.run(partition, ops), (ran) => {
      if (ran.failed !== undefined) return [];
      const ended = rowIn(ran.results[1]);
      return ended ? openedRow(id, ended).slice(from) : opened(id, logIn(ran.results[0])?.entries ?? []);
    });
  }

  return { opened, appendOps, endOps, read };
}
