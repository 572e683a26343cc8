/** What a store in memory keeps of a session is bounded while its streams go on, not only when they have ended. */
import { createMemoryStore, type EventLogLimits, type EventStore, eventOverhead, type StoredEvents } from 'tenon/store';
import { describe, expect, it } from 'vitest';

const limits: EventLogLimits = { maxStreamChars: 10_000, maxSessionChars: 40_000, maxStreams: 100 };
const followed: EventLogLimits = { ...limits, isAwaited: true };
const text = (counted: number): string => 'x'.repeat(counted - eventOverhead);
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `s${at}`);

const after = (events: EventStore, stream: string): StoredEvents => events.readAfter('a', stream, 0) as StoredEvents;
const keptOf = (events: EventStore, stream: string): number[] => after(events, stream).events.map(({ n }) => n);
const counted = (events: EventStore, streams: readonly string[]): number =>
  streams
    .flatMap((stream) => after(events, stream).events)
    .reduce((sum, { data }) => sum + data.length + eventOverhead, 0);

describe('streams that go on', () => {
  it.each([
    ['in turn', names(9).flatMap(() => names(100))],
    ['one after the other', names(100).flatMap((name) => Array.from({ length: 9 }, () => name))],
  ])('keep no more together than their session may, each event while it is the last, written %s', (_how, writes) => {
    const { events } = createMemoryStore();
    const begun = new Set<string>();
    for (const stream of writes) {
      const n = events.append('a', stream, text(1000), limits);
      begun.add(stream);
      expect(keptOf(events, stream).at(-1)).toBe(n);
      expect(counted(events, [...begun])).toBeLessThanOrEqual(limits.maxSessionChars);
    }
    expect(counted(events, [...begun])).toBeGreaterThan(limits.maxSessionChars * 0.8);
  });

  it('lose their oldest events where they are the longest, and say where what is kept begins', () => {
    const { events } = createMemoryStore();
    for (const stream of ['short', 'shorter']) events.append('a', stream, text(200), limits);
    for (const stream of names(5)) for (let n = 0; n < 8; n++) events.append('a', stream, text(1000), limits);
    expect([keptOf(events, 'short'), keptOf(events, 'shorter')]).toEqual([[1], [1]]);
    const shortened = names(5).filter((stream) => after(events, stream).from > 0);
    expect(shortened).not.toEqual([]);
    for (const stream of names(5)) {
      const { from, ended } = after(events, stream);
      expect(ended).toBe(false);
      expect(keptOf(events, stream)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].slice(from));
    }
  });

  it('stay as they are where streams that have ended can be forgotten instead', () => {
    const { events } = createMemoryStore();
    events.append('a', 'open', text(9000), limits);
    for (const stream of names(10)) {
      events.append('a', stream, text(9000), limits);
      events.end('a', stream);
    }
    expect(keptOf(events, 'open')).toEqual([1]);
    expect(
      names(10)
        .map((stream) => events.readAfter('a', stream, 0) !== undefined)
        .lastIndexOf(false),
    ).toBe(6);
  });

  it('keep the last event for a reader elsewhere as long as others can give room', () => {
    const { events } = createMemoryStore();
    events.append('a', 'followed', text(10_000), followed);
    for (const stream of names(20)) events.append('a', stream, text(5000), limits);
    expect(keptOf(events, 'followed')).toEqual([1]);
    for (const stream of names(20)) events.append('a', stream, text(9000), followed);
    expect(keptOf(events, 'followed')).toEqual([]);
    expect(counted(events, ['followed', ...names(20)])).toBeLessThanOrEqual(limits.maxSessionChars);
  });

  it('leave what an awaited event follows alone as long as others can give room', () => {
    const { events } = createMemoryStore();
    events.append('a', 'followed', text(1000), followed);
    events.append('a', 'followed', text(100_000), followed);
    for (const stream of names(20)) events.append('a', stream, text(5000), limits);
    expect(keptOf(events, 'followed')).toEqual([1, 2]);
  });
});
