/** The events of streams on an engine: a log for each stream, in the partition of its session. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import { type Codec, eventPath, notePath } from '../codec.ts';
import type { AppendOp, FailedRun, Log, NewEntry, Op, StoreDriver } from '../driver.ts';
import { type EventLogLimits, type EventStore, eventOverhead, maxAwaited, type StoredEvents } from '../event-store.ts';
import { allOf, needsRoom, planRoom, roomLeft, sessionRoom } from './event-room.ts';
import { eventShare, planShares } from './event-shares.ts';
import { atMost, logIn, logsIn, rowIn } from './runs.ts';
import { sessionRow as row, sessionPartition } from './sessions.ts';

/**
 * How long events are held that are too large to be stored, for a client that is about to read them at another process.
 * @limit HTTP
 * @beyond they are dropped
 */
const awaitMs = 10_000;

/** Another process was faster; then the next attempt has its number. */
const attempts = 20;

/** Events for a stream. */
interface Added {
  readonly session: string;
  readonly stream: string;
  readonly texts: readonly string[];
  readonly limits: EventLogLimits;
  readonly note?: string | undefined;
  readonly at?: number | undefined;
  readonly end?: boolean;
}

const awaitedKey = (stream: string): string => `awaited:${stream}`;

/** Limits are those of the text, however it is stored. */
const sizeOf = (text: string): number => text.length + eventOverhead;

export function eventsOn(driver: StoreDriver, codec: Codec): EventStore {
  const add = eventWriter(driver, eventOps(codec));
  return {
    append: (session, stream, data, limits, note, at) => add({ session, stream, texts: [data], limits, note, at }),
    readAfter(session, stream, n) {
      const partition = sessionPartition(session);
      const key = awaitedKey(stream);
      const ops: Op[] = [
        { op: 'entries', row, log: stream, after: n },
        { op: 'get', key },
      ];
      return mapped(driver.run(partition, ops), (ran): MaybePromise<StoredEvents | undefined> => {
        const log = ran.failed === undefined ? logIn(ran.results[0]) : undefined;
        if (log === undefined || n > log.count || ran.failed !== undefined) return undefined;
        const row = rowIn(ran.results[1]);
        const held = row?.version === String(log.count) && log.last < log.count ? row.data : undefined;
        const found = shown(codec, session, stream, log, held, n);
        if (held === undefined || log.ended === 0) return found;
        // It has been read after the end of its stream.
        return mapped(driver.run(partition, [{ op: 'delete', key }]), () => found);
      });
    },
    end(session, stream, last, at) {
      const { events: texts = [], limits = noLimits } = last ?? {};
      return add({ session, stream, texts, limits, at, end: true });
    },
    deleteSession: (session) =>
      mapped(driver.run(sessionPartition(session), [{ op: 'trim', row, steps: 'all' }]), () => undefined),
  };
}

/** The ops that store events. */
function eventOps(codec: Codec) {
  const shareOf = (limits: EventLogLimits, session: string): string | undefined =>
    eventShare(limits, session, (share) => codec.name(['share', share]));

  function appendOp({ session, stream, texts, limits, note, at, end }: Added): AppendOp {
    const fits = (text: string): boolean => sizeOf(text) <= sessionRoom(limits);
    const entries = texts.map(
      (text): NewEntry =>
        fits(text) ? { data: codec.seal(eventPath(session, stream), text), chars: sizeOf(text) } : { chars: 0 },
    );
    // A stream has the share of its first event.
    const share = texts.length > 0 && (at ?? 1) === 1 ? shareOf(limits, session) : undefined;
    return {
      op: 'append',
      row,
      log: stream,
      entries,
      ...(at !== undefined && { at }),
      ...(limits.change !== undefined && end !== true && { mark: limits.change }),
      ...(note !== undefined && { note: codec.seal(notePath(session, stream), note) }),
      ...(share !== undefined && { share }),
      ...(texts.length > 0 && { isFollowed: limits.isAwaited === true }),
      ...(end === true && { end }),
      ...(texts.length > 0 && { room: { maxLogs: limits.maxStreams, maxChars: sessionRoom(limits) } }),
    };
  }

  /** Holds an event that is too large for the client that is about to read it. */
  function holdOp({ session, stream, texts, limits }: Added, n: number): Op {
    const text = texts.at(-1) as string;
    const share = shareOf(limits, session);
    const maxTotal = limits.maxTotalStoredChars;
    return {
      op: 'put',
      key: awaitedKey(stream),
      version: String(n),
      data: codec.seal(eventPath(session, stream), text),
      chars: sizeOf(text),
      expiresInMs: awaitMs,
      groups: [
        { name: 'awaited', max: maxAwaited, beyond: 'delete-oldest' },
        ...(share === undefined
          ? []
          : [{ name: `awaited of ${share}`, scope: 'store', maxChars: maxTotal / 4 } as const]),
        { name: 'awaited', scope: 'store', ...atMost(undefined, maxTotal) },
      ],
    };
  }

  return { appendOp, holdOp };
}

/** Adds events to streams, and makes room for them. */
function eventWriter(driver: StoreDriver, { appendOp, holdOp }: ReturnType<typeof eventOps>) {
  function add(added: Added, left = attempts): MaybePromise<number | undefined> {
    const { session, stream, texts, limits } = added;
    const last = texts.at(-1);
    const isTooLarge = last !== undefined && sizeOf(last) > sessionRoom(limits);
    if (isTooLarge && limits.isAwaited === true) return addHeld(added, left);
    const ops: Op[] = [appendOp(added)];
    if (isTooLarge) ops.push({ op: 'trim', row, steps: [allOf(stream)] });
    return mapped(driver.run(sessionPartition(session), ops), (ran) => {
      if (ran.failed !== undefined) return refused(added, ran);
      const log = logIn(ran.results[0]) as Log;
      return isTooLarge ? log.count : makeRoom(added, log);
    });
  }

  /** The number of the event has to be known before it is held. */
  function addHeld(added: Added, left: number): MaybePromise<number | undefined> {
    const { session, stream, texts, at } = added;
    const partition = sessionPartition(session);
    return mapped(driver.run(partition, [{ op: 'entries', row, log: stream, after: 0 }]), (found) => {
      const count = (found.failed === undefined && logIn(found.results[0])?.count) || 0;
      const n = at ?? count + 1;
      const ops = [appendOp({ ...added, at: n }), holdOp(added, n + texts.length - 1)];
      return mapped(driver.run(partition, ops), (ran): MaybePromise<number | undefined> => {
        if (ran.failed === undefined) return logIn(ran.results[0])?.count;
        if (at !== undefined || (ran.why !== 'gap' && ran.why !== 'repeated')) return refused(added, ran);
        if (left === 0) throw tooManyWriters();
        return addHeld(added, left - 1);
      });
    });
  }

  function refused(added: Added, { why, log }: FailedRun): MaybePromise<number | undefined> {
    if (why === 'gap' || why === 'mark') return 0;
    if (why !== 'repeated') return undefined;
    const { at, ...rest } = added;
    // A stream that has more events than its writer knows of is ended all the same.
    return added.end === true ? add(rest) : (at ?? log?.count);
  }

  /** Makes room after an event; returns its number. */
  function makeRoom(added: Added, log: Log): MaybePromise<number> {
    const { session, stream, limits } = added;
    const partition = sessionPartition(session);
    const shrink = (): MaybePromise<number> => {
      if ((log.storeChars ?? 0) <= limits.maxTotalStoredChars) return log.count;
      return mapped(shrinkShares(driver, limits.maxTotalStoredChars, { partition, row, log: stream }), () => log.count);
    };
    if (!needsRoom(log, limits)) return shrink();
    return mapped(driver.run(partition, [{ op: 'logs', row }]), (known) => {
      const logs = known.failed === undefined ? logsIn(known.results[0]) : [];
      const inUse = logs.find(({ name }) => name === stream);
      if (inUse === undefined) return log.count;
      const steps = planRoom(logs, inUse, limits);
      const ops: Op[] = [
        { op: 'trim', row, steps },
        { op: 'logs', row },
      ];
      return mapped(driver.run(partition, ops), (ran): MaybePromise<number> => {
        const left = ran.failed === undefined ? logsIn(ran.results[1]).find(({ name }) => name === stream) : undefined;
        if (left === undefined || left.stored > 0 || limits.isAwaited !== true) return shrink();
        return mapped(driver.run(partition, [holdOp(added, log.count)]), shrink);
      });
    });
  }

  return add;
}

/** Makes room in the whole store: the largest shares lose their oldest events. */
const shrinkShares = (
  driver: StoreDriver,
  maxChars: number,
  inUse: { readonly partition: string; readonly row: string; readonly log: string },
): MaybePromise<void> =>
  mapped(driver.logShares?.() ?? [], (shares) =>
    driver.shrinkLogs?.(maxChars * roomLeft, planShares(shares, maxChars), inUse),
  );

function shown(
  codec: Codec,
  session: string,
  stream: string,
  log: Log,
  held: string | undefined,
  after: number,
): StoredEvents {
  const stored = storedBefore(log, held !== undefined);
  const from = Math.max(after, log.count - stored - (held === undefined ? 0 : 1));
  const path = eventPath(session, stream);
  const entries = stored === 0 ? [] : (log.entries ?? []);
  const events = entries.filter(({ n }) => n > from).map(({ n, data }) => ({ n, data: codec.open(path, data) }));
  if (held !== undefined && log.count > from) events.push({ n: log.count, data: codec.open(path, held) });
  return {
    from,
    events,
    ended: log.ended > 0,
    note: log.note && codec.open(notePath(session, stream), log.note),
    change: log.mark,
  };
}

/** How many of the stored events can be given to a reader: those that nothing is missing after. */
function storedBefore({ stored, last, count }: Log, isHeld: boolean): number {
  return last === (isHeld ? count - 1 : count) ? stored : 0;
}

/** Where a stream ends without events. */
const noLimits: EventLogLimits = {
  maxStreamChars: Infinity,
  maxSessionChars: Infinity,
  maxTotalStoredChars: Infinity,
  maxStreams: Infinity,
};

const tooManyWriters = (): TenonError =>
  new TenonError('store-failed', 'An event could not be stored: other processes write to the same stream.', {
    hint: 'Try again.',
  });
