/** The memory store limits the events of all sessions together: streams that have ended are dropped first, then the oldest. */
import { createMemoryStore, type EventLogLimits, type EventStore, type StoredEvents } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { eventOverhead } from '../../src/store/event-store.ts';

const limits: EventLogLimits = {
  maxStreamChars: 10_000,
  maxSessionChars: 10_000,
  maxTotalStoredChars: 50_000,
  maxStreams: 100,
};
const text = (counted: number): string => 'x'.repeat(counted - eventOverhead);
const sessions = (count: number): string[] => Array.from({ length: count }, (_, at) => `session ${at}`);
const after = (events: EventStore, session: string, n = 0): StoredEvents | undefined =>
  events.readAfter(session, '1', n) as StoredEvents | undefined;
const counted = (events: EventStore, all: readonly string[]): number =>
  all
    .flatMap((session) => after(events, session)?.events ?? [])
    .reduce((sum, { data }) => sum + data.length + eventOverhead, 0);

describe('the events of all sessions', () => {
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
    for (const session of awaiting) events.append(session, '2', text(20_000), { ...limits, isAwaited: true });
    const read = (session: string) => (events.readAfter(session, '2', 0) as StoredEvents).events.length;
    expect(awaiting.map(read)).toEqual([...Array.from({ length: 18 }, () => 0), 1, 1]);
  });
});
