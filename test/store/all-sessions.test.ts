/** The memory store limits the events of all sessions together: of the largest shares, streams that have ended are dropped first, then the oldest. */
import { createMemoryStore, type EventLogLimits, type EventStore, type StoredEvents } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { eventOverhead } from '../../src/store/event-store.ts';
import { newTaskId } from '../../src/store/parts/task-id.ts';

const limits: EventLogLimits = {
  maxStreamChars: 10_000,
  maxSessionChars: 10_000,
  maxTotalStoredChars: 50_000,
  maxStreams: 100,
  share: 'ann',
};
const text = (counted: number): string => 'x'.repeat(counted - eventOverhead);
const sessions = (count: number): string[] => Array.from({ length: count }, (_, at) => `session ${at}`);
const after = (events: EventStore, session: string, n = 0): StoredEvents | undefined =>
  events.readAfter(session, '1', n) as StoredEvents | undefined;
const counted = (events: EventStore, all: readonly string[]): number =>
  all
    .flatMap((session) => after(events, session)?.events ?? [])
    .reduce((sum, { data }) => sum + data.length + eventOverhead, 0);

describe('the events of all sessions of one share', () => {
  it('are at most maxTotalStoredChars, and the streams that ended first are dropped [S20]', () => {
    const { events } = createMemoryStore();
    const all = sessions(20);
    for (const session of all) {
      events.append(session, '1', text(5000), limits);
      events.end(session, '1');
      expect(after(events, session)?.events).toHaveLength(1);
      expect(counted(events, all)).toBeLessThanOrEqual(limits.maxTotalStoredChars);
    }
    const found = all.map((session) => after(events, session) !== undefined);
    expect(found.lastIndexOf(false)).toBe(found.indexOf(true) - 1);
    expect(found.filter(Boolean).length).toBeGreaterThan(7);
  });

  it('of streams that have ended are dropped before those of older open ones', () => {
    const { events } = createMemoryStore();
    events.append('open', '1', text(5000), limits);
    for (const session of sessions(20)) {
      events.append(session, '1', text(5000), limits);
      events.end(session, '1');
    }
    expect(after(events, 'open')?.events).toHaveLength(1);
  });

  it('of the oldest open streams are dropped where none has ended; their readers learn where the stored ones begin', () => {
    const { events } = createMemoryStore();
    const all = sessions(20);
    for (const session of all)
      for (let n = 1; n <= 5; n++) {
        expect(events.append(session, '1', text(1000), limits)).toBe(n);
        expect(after(events, session)?.events.at(-1)?.n).toBe(n);
        expect(counted(events, all)).toBeLessThanOrEqual(limits.maxTotalStoredChars);
      }
    expect(after(events, 'session 0', 3)).toEqual({ from: 5, events: [], ended: false });
    expect(after(events, 'session 19')?.events).toHaveLength(5);
    // A stream that lost its events counts on.
    expect(events.append('session 0', '1', 'x', limits)).toBe(6);
    expect(after(events, 'session 0', 5)?.events).toEqual([{ n: 6, data: 'x' }]);
  });

  it('have room again when a session is deleted', () => {
    const { events } = createMemoryStore();
    for (let round = 0; round < 50; round++) {
      for (const session of sessions(4)) for (let n = 0; n < 2; n++) events.append(session, '1', text(4000), limits);
      for (const session of sessions(4)) expect(after(events, session)?.events).toHaveLength(2);
      for (const session of sessions(4)) events.deleteSession(session);
    }
  });

  it('are limited also where each is empty, or is one that a client elsewhere awaits', () => {
    const { events } = createMemoryStore();
    const many = sessions(2000);
    for (const session of many) {
      events.append(session, '1', '', limits);
      events.end(session, '1');
    }
    expect(many.filter((session) => after(events, session) !== undefined).length).toBeLessThan(100);
    const awaiting = sessions(20);
    for (const session of awaiting)
      events.append(session, '2', text(20_000), { ...limits, share: session, isAwaited: true });
    const read = (session: string) => (events.readAfter(session, '2', 0) as StoredEvents).events.length;
    expect(awaiting.map(read)).toEqual([...Array.from({ length: 18 }, () => 0), 1, 1]);
  });
});

describe('the events of all sessions of several shares', () => {
  const of = (share: string, isAnonymous = false): EventLogLimits => ({ ...limits, share, isAnonymous });

  /** Stores a stream with one event that has ended; whether it is still there is asked for later. */
  function add(events: EventStore, session: string, size: number, by: EventLogLimits): () => boolean {
    events.append(session, '1', text(size), by);
    events.end(session, '1');
    return () => after(events, session)?.events.length === 1;
  }

  it('are dropped from the largest share, though others are older [S24, S36]', () => {
    const { events } = createMemoryStore();
    const others = [add(events, 'bob', 9000, of('bob')), add(events, 'cid', 9000, of('cid'))];
    const flood = sessions(100).map((session) => add(events, session, 5000, of('eve')));
    expect(others.map((isStored) => isStored())).toEqual([true, true]);
    expect(flood.at(-1)?.()).toBe(true);
  });

  it('are dropped until the largest shares have the same size', () => {
    const { events } = createMemoryStore();
    const streams = ['bob', 'eve', 'cid'].flatMap((share) =>
      sessions(20).map((session) => ({ share, isStored: add(events, `${share} ${session}`, 1000, of(share)) })),
    );
    const left = (share: string): number => streams.filter((one) => one.share === share && one.isStored()).length;
    const counts = ['bob', 'eve', 'cid'].map(left);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4);
    expect(Math.min(...counts)).toBeGreaterThan(7);
  });

  it('are dropped from callers without a principal, however many addresses they have, before a principal loses half of the room [S24, S36]', () => {
    const { events } = createMemoryStore();
    const own = sessions(3).map((session) => add(events, `own ${session}`, 5000, of('ann')));
    for (const session of sessions(500)) add(events, session, 500, of(`address ${session}`, true));
    expect(own.map((isStored) => isStored())).toEqual([true, true, true]);
  });

  it('are dropped from principals before callers without one lose half of the room [S24, S36]', () => {
    const { events } = createMemoryStore();
    const anonymous = sessions(9).map((session) => add(events, `late ${session}`, 1000, of('address', true)));
    for (const session of sessions(100)) add(events, session, 5000, of('eve'));
    expect(anonymous.every((isStored) => isStored())).toBe(true);
  });

  it('that a client elsewhere awaits are dropped from a share with many of them', () => {
    const { events } = createMemoryStore();
    const large = (session: string, share: string): void =>
      void events.append(session, '1', text(12_000), { ...of(share), isAwaited: true });
    large('bob', 'bob');
    for (const session of sessions(20)) large(session, 'eve');
    expect(after(events, 'bob')?.events).toHaveLength(1);
  });

  it('are never those of tasks, whose journals are no events [S24, S36]', async () => {
    const { events, tasks } = createMemoryStore();
    const room = { maxLive: 9, maxStored: 9, maxInShard: 9 };
    const id = newTaskId('ann');
    await tasks.create({ id, owner: 'ann', kind: 'k@1', data: '', entries: [text(5000)], endsInMs: 60_000 }, room);
    for (const session of sessions(100)) events.append(session, '1', text(5000), of('eve'));
    expect(await tasks.readJournal(id, 0)).toHaveLength(1);
  });
});
