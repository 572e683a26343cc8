/** Drivers that are broken on purpose: the engine in memory, with one fault each. */
import type { AppendOp, FailedRun, Log, Op, PutOp, Ran, Row, StoreDriver, TrimOp, When } from 'tenon/store';
import type { MemoryDriver } from '../../../src/store/memory/memory-driver.ts';

export interface BrokenDriver {
  /** The case of the suite that rejects it. */
  readonly by: string;
  readonly make: (memory: MemoryDriver, clock: () => number) => Partial<StoreDriver>;
}

type Run = MemoryDriver['run'];

/** Runs other ops than those that were passed. */
const changed =
  (change: (op: Op, partition: string) => Op) =>
  ({ run }: MemoryDriver): Partial<StoreDriver> => ({
    run: (partition, ops) => run(partition, ops.length > 64 ? ops : ops.map((op) => change(op, partition))),
  });

const changedPut = (change: (op: PutOp) => PutOp) => changed((op) => (op.op === 'put' ? change(op) : op));
const changedAppend = (change: (op: AppendOp) => AppendOp) => changed((op) => (op.op === 'append' ? change(op) : op));
const changedTrim = (change: (op: TrimOp) => TrimOp) => changed((op) => (op.op === 'trim' ? change(op) : op));

/** Refuses puts for a reason of its own, before the run. */
const refusing =
  (refusal: (op: PutOp, partition: string) => Omit<FailedRun, 'now' | 'failed'> | undefined, run: Run): Run =>
  (partition, ops) => {
    for (const [failed, op] of ops.entries()) {
      const refused = op.op === 'put' ? refusal(op, partition) : undefined;
      if (refused !== undefined) return { now: run(partition, []).now, failed, ...refused };
    }
    return run(partition, ops);
  };

function without<T extends object, K extends keyof T>(value: T, name: K): Omit<T, K> {
  const { [name]: _left, ...rest } = value;
  return rest;
}

const resultOf = (ran: Ran): unknown => (ran.failed === undefined ? ran.results[0] : undefined);

const holds = (when: When | undefined, row: Row | undefined): boolean => {
  if (when === undefined) return true;
  if (typeof when === 'string') return (row !== undefined) === (when === 'present');
  return 'version' in when ? row?.version === when.version : row === undefined || row.version === when.absentOr;
};

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const brokenDrivers: Readonly<Record<string, BrokenDriver>> = {
  'applies a run that fails up to the op that failed': {
    by: 'conditions: a failed run changes nothing',
    make: ({ run }) => ({
      run(partition, ops) {
        const ran = run(partition, ops);
        if (ran.failed !== undefined) run(partition, ops.slice(0, ran.failed));
        return ran;
      },
    }),
  },
  'ignores conditions': {
    by: 'conditions: absent, present, version and absentOr hold for put and delete as they say',
    make: changed((op) => (op.op === 'put' || op.op === 'delete' ? without(op, 'when') : op) as Op),
  },
  'ignores conditions of delete': {
    by: 'conditions: absent, present, version and absentOr hold for put and delete as they say',
    make: changed((op) => (op.op === 'delete' ? { op: 'delete', key: op.key } : op)),
  },
  'checks a condition after the effects of the ops before': {
    by: 'conditions: conditions are checked on the state before the run',
    make: ({ run }) => ({
      run(partition, ops) {
        const results: unknown[] = [];
        for (const [failed, op] of ops.entries()) {
          const ran = run(partition, [op]);
          if (ran.failed !== undefined) return { ...ran, failed };
          results.push(...ran.results);
        }
        return { now: run(partition, []).now, results } as Ran;
      },
    }),
  },
  'checks conditions, and writes later': {
    by: 'concurrency: of many puts that need an absent row, one is done',
    make: ({ run }) => ({
      async run(partition, ops) {
        for (const [failed, op] of ops.entries()) {
          if (op.op !== 'put') continue;
          const row = resultOf(run(partition, [{ op: 'get', key: op.key }])) as Row | undefined;
          if (!holds(op.when, row)) return { now: run(partition, []).now, failed, why: 'condition', row };
        }
        await later();
        return run(
          partition,
          ops.map((op) => (op.op === 'put' ? (without(op, 'when') as PutOp) : op)),
        );
      },
    }),
  },
  'does not return the row that was found': {
    by: 'conditions: a failed condition has the index, and the row that was found with text and fields',
    make: ({ run }) => ({ run: (partition, ops) => without(run(partition, ops) as FailedRun, 'row') }),
  },
  'counts rows that have expired': {
    by: 'expiry: groups neither list nor count rows that have expired',
    make({ run }) {
      const members = new Map<string, Set<string>>();
      const refusal = ({ key, groups = [] }: PutOp, partition: string) => {
        for (const { name, max = Infinity } of groups) {
          const keys = members.get(partition + name) ?? new Set();
          if (!keys.has(key) && keys.size >= max) return { why: 'full' as const, group: name };
          members.set(partition + name, keys.add(key));
        }
        return undefined;
      };
      return { run: refusing(refusal, run) };
    },
  },
  'has a clock that falls': {
    by: 'clock: a clock that is set back does not change the time of the store',
    make: ({ run }, now) => ({ run: (partition, ops) => ({ ...run(partition, ops), now: now() }) }),
  },
  'ignores aliases': {
    by: 'conditions: an alias of another living row fails the run, which has that row',
    make: changedPut((op) => without(op, 'alias')),
  },
  'has the alias of a row that has expired': {
    by: 'expiry: the alias of a row that has expired is free',
    make({ run }) {
      const keys = new Map<string, string>();
      const refusal = ({ key, alias }: PutOp, partition: string) => {
        if (alias === undefined) return undefined;
        const of = keys.get(partition + alias) ?? key;
        keys.set(partition + alias, of);
        return of === key ? undefined : { why: 'alias' as const };
      };
      return { run: refusing(refusal, run) };
    },
  },
  'gives one row to two takers': {
    by: 'concurrency: two takers never get the same row',
    make: ({ take }) => ({ take: (request) => take({ ...request, leaseMs: 0 }) }),
  },
  'starves a lane': {
    by: 'queues: a lane that always has rows does not starve another',
    make: ({ run, take }) => ({
      run: changedPut((op) => (op.due ? { ...op, due: op.due.map((due) => ({ ...due, lane: '' })) } : op))({
        run,
      } as MemoryDriver).run as Run,
      // The newest first, so that what waits never has its turn.
      take(request) {
        const taken = take({ ...request, max: 1000, leaseMs: 0 }).toSorted((a, b) => b.row.number - a.row.number);
        for (const { partition, row } of taken.slice(0, request.max))
          run(partition, [
            { op: 'put', key: row.key, version: request.holder, due: [{ queue: 'q', inMs: request.leaseMs }] },
          ]);
        return taken.slice(0, request.max);
      },
    }),
  },
  'has one lane': {
    by: 'queues: lanes take turns over several calls',
    make: changedPut((op) => (op.due ? { ...op, due: op.due.map((due) => ({ ...due, lane: '' })) } : op)),
  },
  'does not set the version of what is taken': {
    by: 'queues: a row that is taken belongs to the holder: writes with the old version fail',
    make({ run, take }) {
      const versions = new Map<string, string>();
      return {
        run(partition, ops) {
          for (const op of ops) if (op.op === 'put') versions.set(op.key, op.version);
          return run(partition, ops);
        },
        take: (request) =>
          take(request).map((taken) => {
            const version = versions.get(taken.row.key) ?? '';
            run(taken.partition, [{ op: 'put', key: taken.row.key, version }]);
            return { ...taken, row: { ...taken.row, version } };
          }),
      };
    },
  },
  'counts every take as the first': {
    by: 'queues: taken is counted until the next put',
    make: ({ take }) => ({
      take: (request) =>
        take(request).map((taken) => ({
          ...taken,
          row: { ...taken.row, taken: taken.row.taken && { ...taken.row.taken, count: 1 } },
        })),
    }),
  },
  'takes rows that are not due': {
    by: 'queues: a row is taken when it is due, not before',
    make: changedPut((op) => (op.due ? { ...op, due: op.due.map((due) => ({ ...due, inMs: due.inMs && 0 })) } : op)),
  },
  'has one row too many in a group': {
    by: 'groups: a row beyond max fails the run with the name of the group',
    make: changedPut((op) =>
      op.groups
        ? { ...op, groups: op.groups.map((group) => (group.max ? { ...group, max: group.max + 1 } : group)) }
        : op,
    ),
  },
  'counts a member again': {
    by: 'groups: a member is not counted again',
    make({ run }) {
      const refusal = ({ groups = [] }: PutOp, partition: string) => {
        const full = groups.find(
          ({ name, max = 100 }) =>
            (resultOf(run(partition, [{ op: 'list', group: name, max: 100 }])) as Row[]).length >= max,
        );
        return full && { why: 'full' as const, group: full.name };
      };
      return { run: refusing(refusal, run) };
    },
  },
  'never deletes the oldest': {
    by: 'groups: delete-oldest deletes the rows that were created first',
    make: changedPut((op) =>
      op.groups
        ? {
            ...op,
            groups: op.groups.map((group) => (group.beyond === 'delete-oldest' ? without(group, 'max') : group)),
          }
        : op,
    ),
  },
  'has texts beyond maxChars': {
    by: 'groups: beyond maxChars the rows that were put first lose their text, and stay',
    make: changedPut((op) =>
      op.groups ? { ...op, groups: op.groups.map((group) => without(group, 'maxChars')) } : op,
    ),
  },
  'counts code points': {
    by: 'groups: a text counts as chars, or as its length in JavaScript',
    make: changedPut((op) =>
      op.data !== undefined && op.chars === undefined ? { ...op, chars: [...op.data].length } : op,
    ),
  },
  'lists in the order of the last put': {
    by: 'groups: rows are listed in the order of their creation, whatever was put later',
    make: ({ run }) => ({
      run(partition, ops) {
        const ran = run(partition, ops);
        if (ran.failed !== undefined) return ran;
        const results = ran.results.map((result, at) =>
          ops[at]?.op === 'list' ? (result as Row[]).toSorted((a, b) => (a.key < b.key ? -1 : 1)) : result,
        );
        return { ...ran, results };
      },
    }),
  },
  'repeats the last row of a page': {
    by: 'groups: list returns at most max rows, after a number',
    make: changed((op) => (op.op === 'list' && op.after !== undefined ? { ...op, after: op.after - 1 } : op)),
  },
  'deletes the last entry of a log': {
    by: 'trims: the last spare entries of a log stay',
    make: changedTrim((op) => ({
      ...op,
      steps: op.steps === 'all' ? op.steps : op.steps.map((step) => ('spare' in step ? { ...step, spare: 0 } : step)),
    })),
  },
  'trims what is not above': {
    by: 'trims: a step is skipped unless the logs of the row have more characters than above',
    make: changedTrim((op) => ({
      ...op,
      steps: op.steps === 'all' ? op.steps : op.steps.map((step) => ({ ...step, above: 0 })),
    })),
  },
  'ignores how many characters a group has': {
    by: 'groups: below refuses a put once a group has as many characters, and changes nothing',
    make: changedPut((op) => without(op, 'below')),
  },
  'counts all logs for one share': {
    by: 'trims: shrinkLogs deletes entries of the shares that are named, until each has its size',
    make: changedAppend((op) => (op.share === undefined ? op : { ...op, share: 'ann' })),
  },
  'shrinks logs without a share': {
    by: 'trims: logShares has the characters of each share, from the beginning of a log to its end',
    make: changedAppend((op) => ({ ...op, share: op.share ?? 'none' })),
  },
  'shrinks a share to nothing': {
    by: 'trims: shrinkLogs deletes entries of the shares that are named, until each has its size',
    make: ({ shrinkLogs }) => ({
      shrinkLogs: (maxChars, shares, inUse) =>
        shrinkLogs?.(
          maxChars,
          shares.map(({ share }) => ({ share, chars: 0 })),
          inUse,
        ),
    }),
  },
  'shrinks shares though the store has room': {
    by: 'trims: shrinkLogs stops when all shares have the size of the store',
    make: ({ shrinkLogs }) => ({ shrinkLogs: (_maxChars, shares, inUse) => shrinkLogs?.(0, shares, inUse) }),
  },
  'has the logs of a row that was deleted': {
    by: 'logs: logs of a row go with it',
    make: ({ run }) => ({
      run(partition, ops) {
        const deleted = ops.flatMap((op) => (op.op === 'delete' ? [op.key] : []));
        const logs = deleted.flatMap((row) =>
          (resultOf(run(partition, [{ op: 'logs', row }])) as Log[]).map(({ name }) => ({ row, name })),
        );
        const ran = run(partition, ops);
        const entries = [{ data: '1', chars: 1 }];
        for (const { row, name } of logs) run(partition, [{ op: 'append', row, log: name, entries }]);
        return ran;
      },
    }),
  },
  'appends an entry twice': {
    by: 'logs: at is the number of the first entry: repeated or with a gap it is refused',
    make: changedAppend((op) => without(op, 'at')),
  },
  'ignores marks': {
    by: 'logs: a mark must be larger than the last one of the log',
    make: changedAppend((op) => without(op, 'mark')),
  },
  'appends to a log that has ended': {
    by: 'logs: a log that has ended takes no more entries, and is still read',
    make: changedAppend((op) => without(op, 'end')),
  },
  'stores nothing for an entry without text': {
    by: 'logs: an entry without text is counted, and not stored',
    make: changedAppend((op) => ({ ...op, entries: op.entries.filter(({ data }) => data !== undefined) })),
  },
  'takes tokens of a run that fails': {
    by: 'tokens: tokens are not taken where another condition fails',
    make: ({ run }) => ({
      run(partition, ops) {
        const ran = run(partition, ops);
        if (ran.failed !== undefined)
          run(
            partition,
            ops.filter(({ op }) => op === 'tokens'),
          );
        return ran;
      },
    }),
  },
  'reports the first bucket': {
    by: 'tokens: several buckets are all or nothing, and the one that takes longest is reported',
    make: ({ run }) => ({
      run(partition, ops) {
        const ran = run(partition, ops);
        if (ran.failed === undefined || ran.why !== 'tokens') return ran;
        return { ...ran, failed: ops.findIndex(({ op }) => op === 'tokens') };
      },
    }),
  },
  'loses parts of milliseconds': {
    by: 'tokens: parts of milliseconds are not lost',
    make: changed((op) => (op.op === 'tokens' ? { ...op, costMs: Math.ceil(op.costMs) } : op)),
  },
  'publishes before the run': {
    by: 'messages: a message is sent after the run: who receives it finds what was written',
    make: ({ run }) => ({
      async run(partition, ops) {
        run(
          partition,
          ops.filter(({ op }) => op === 'publish'),
        );
        if (ops.some(({ op }) => op === 'publish')) await later();
        return run(
          partition,
          ops.map((op): Op => (op.op === 'publish' ? { op: 'get', key: 'none' } : op)),
        );
      },
    }),
  },
  'publishes though the run fails': {
    by: 'messages: a run that fails sends nothing',
    make: ({ run }) => ({
      run(partition, ops) {
        const ran = run(partition, ops);
        if (ran.failed !== undefined)
          run(
            partition,
            ops.filter(({ op }) => op === 'publish'),
          );
        return ran;
      },
    }),
  },
  'goes on sending after unsubscribing': {
    by: 'messages: after unsubscribing nothing is received, and others still receive',
    make: ({ subscribe }) => ({
      subscribe(...subscription) {
        subscribe(...subscription);
        return () => undefined;
      },
    }),
  },
  'replaces fields': {
    by: 'rows: fields are merged, and null deletes one',
    make: ({ run }) => ({
      run: (partition, ops) =>
        run(
          partition,
          ops.map((op) => {
            if (op.op !== 'put' || op.fields === undefined) return op;
            const row = resultOf(run(partition, [{ op: 'get', key: op.key }])) as Row | undefined;
            const none = Object.fromEntries(Object.keys(row?.fields ?? {}).map((name) => [name, null]));
            return { ...op, fields: { ...none, ...op.fields } };
          }),
        ),
    }),
  },
  'forgets when a row expires': {
    by: 'expiry: a put without expiry leaves it, one with expiry moves it',
    make: changedPut((op) => ({ expiresInMs: 1e12, ...op })),
  },
  'sweeps rows that live': {
    by: 'expiry: sweep deletes what has expired, and nothing else',
    make: ({ run, sweep }) => ({
      sweep(max) {
        run('p', [{ op: 'delete', key: 'always' }]);
        return sweep(max);
      },
    }),
  },
  'has the same epoch after a loss': {
    by: 'rows: the epoch changes when the contents are lost',
    make: () => ({ epoch: 'always' }),
  },
  'does not distinguish large and small letters': {
    by: 'texts: keys, aliases, groups and logs with similar names are different',
    make: changed((op) => ('key' in op ? { ...op, key: op.key.toLowerCase() } : op)),
  },
  'ends a text at a zero': {
    by: 'texts: texts, fields and notes are stored as they are',
    make: changedPut((op) => (op.data === undefined ? op : { ...op, data: op.data.split('\0', 1)[0] ?? '' })),
  },
  'replaces halves of surrogate pairs in names': {
    by: 'texts: keys, aliases, groups and logs with similar names are different',
    make: changed((op) =>
      'key' in op ? { ...op, key: new TextDecoder().decode(new TextEncoder().encode(op.key)) } : op,
    ),
  },
  'cuts long keys': {
    by: 'texts: partitions, keys, aliases, groups, lanes and buckets have any length',
    make: changed((op) => ('key' in op ? { ...op, key: op.key.slice(0, 1000) } : op)),
  },
  'cuts long texts': {
    by: 'texts: texts of a million characters',
    make: changedPut((op) => (op.data === undefined ? op : { ...op, data: op.data.slice(0, 65_535) })),
  },
  'runs too many ops': {
    by: 'rows: a run has up to 64 ops, and a longer one is an error that changes nothing',
    make: ({ run }) => ({
      run(partition, ops) {
        if (ops.length > 64) run(partition, ops.slice(0, 64));
        return run(partition, ops.slice(-64));
      },
    }),
  },
};
