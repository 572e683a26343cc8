/** The memory store limits the events of a session while its streams are open, not only after they have ended. */
import { createMemoryStore, type EventLogLimits, type EventStore, type StoredEvents } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { eventOverhead } from '../../src/store/event-store.ts';

const limits: EventLogLimits = {
  maxStreamChars: 10_000,
  maxSessionChars: 40_000,
  maxTotalStoredChars: 9_000_000,
  maxStreams: 100,
};
const followed: EventLogLimits = { ...limits, isAwaited: true };
const text = (counted: number): string => 'x'.repeat(counted - eventOverhead);
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `s${at}`);

const after = (events: EventStore, stream: string): StoredEvents => events.readAfter('a', stream, 0) as StoredEvents;
const storedOf = (events: EventStore, stream: string): number[] => after(events, stream).events.map(({ n }) => n);
const counted = (events: EventStore, streams: readonly string[]): number =>
  streams
    .flatMap((stream) => after(events, stream).events)
    .reduce((sum, { data }) => sum + data.length + eventOverhead, 0);

describe('open streams', () => {
  it.each([
    ['alternately', names(9).flatMap(() => names(100))],
    ['one after the other', names(100).flatMap((name) => Array.from({ length: 9 }, () => name))],
  ])('store at most maxSessionChars together, and always their last event, written %s', (_how, writes) => {
    const { events } = createMemoryStore();
    const begun = new Set<string>();
    for (const stream of writes) {
      const n = events.append('a', stream, text(1000), limits);
      begun.add(stream);
      expect(storedOf(events, stream).at(-1)).toBe(n);
      expect(counted(events, [...begun])).toBeLessThanOrEqual(limits.maxSessionChars);
    }
    expect(counted(events, [...begun])).toBeGreaterThan(limits.maxSessionChars * 0.8);
  });

  it('lose their oldest events if they are the longest, and return where the stored ones begin', () => {
    const { events } = createMemoryStore();
    for (const stream of ['short', 'shorter']) events.append('a', stream, text(200), limits);
    for (const stream of names(5)) for (let n = 0; n < 8; n++) events.append('a', stream, text(1000), limits);
    expect([storedOf(events, 'short'), storedOf(events, 'shorter')]).toEqual([[1], [1]]);
    const shortened = names(5).filter((stream) => after(events, stream).from > 0);
    expect(shortened).not.toEqual([]);
    for (const stream of names(5)) {
      const { from, ended } = after(events, stream);
      expect(ended).toBe(false);
      expect(storedOf(events, stream)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].slice(from));
    }
  });

  it('lose nothing while streams that have ended can be deleted instead', () => {
    const { events } = createMemoryStore();
    events.append('a', 'open', text(9000), limits);
    for (const stream of names(10)) {
      events.append('a', stream, text(9000), limits);
      events.end('a', stream);
    }
    expect(storedOf(events, 'open')).toEqual([1]);
    expect(
      names(10)
        .map((stream) => events.readAfter('a', stream, 0) !== undefined)
        .lastIndexOf(false),
    ).toBe(6);
  });

  it('retain the last event for a reader at another process while other streams can be shortened', () => {
    const { events } = createMemoryStore();
    events.append('a', 'followed', text(10_000), followed);
    for (const stream of names(20)) events.append('a', stream, text(5000), limits);
    expect(storedOf(events, 'followed')).toEqual([1]);
    for (const stream of names(20)) events.append('a', stream, text(9000), followed);
    expect(storedOf(events, 'followed')).toEqual([]);
    // What readers elsewhere were not given may take as much again.
    expect(counted(events, ['followed', ...names(20)])).toBeLessThanOrEqual(limits.maxSessionChars * 2);
  });

  it('retain the events before an awaited one while other streams can be shortened', () => {
    const { events } = createMemoryStore();
    events.append('a', 'followed', text(1000), followed);
    events.append('a', 'followed', text(100_000), followed);
    for (const stream of names(20)) events.append('a', stream, text(5000), limits);
    expect(storedOf(events, 'followed')).toEqual([1, 2]);
  });
});
