/** The contract of ended streams and of living nodes, part of that of every store. */
import type { EventLogLimits } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import type { StoreUnderTest } from './contract.ts';

const roomy: EventLogLimits = {
  maxStreamChars: 10_000,
  maxSessionChars: 1_000_000,
  maxTotalStoredChars: 9_000_000,
  maxStreams: 4,
};

/** `started` returns the store of the running test. */
export function testNodes(name: string, started: () => StoreUnderTest): void {
  describe(`streams that end, ${name}`, () => {
    const append = (data: string, stream = '1', limits = roomy) =>
      started().store.events.append('a', stream, data, limits);
    const after = async (n: number, stream = '1') => started().store.events.readAfter('a', stream, n);

    it('store a note with the first event of a stream, and return it with its events [S20]', async () => {
      await started().store.events.append('a', '1', 'x', roomy, '{"node":"ä 🌍"}');
      await started().store.events.append('a', '1', 'y', roomy, 'not the first');
      await append('z', '2');
      expect(await after(1)).toEqual({ from: 1, events: [{ n: 2, data: 'y' }], ended: false, note: '{"node":"ä 🌍"}' });
      expect((await after(0, '2'))?.note).toBeUndefined();
      await started().store.events.end('a', '1');
      expect((await after(2))?.note).toBe('{"node":"ä 🌍"}');
    });

    it('refuse an event of a stream that has ended [S20]', async () => {
      await append('x');
      expect(await started().store.events.end('a', '1')).toBe(1);
      expect(await append('late')).toBeUndefined();
      expect(await after(0)).toEqual({ from: 0, events: [{ n: 1, data: 'x' }], ended: true });
    });

    it('add the last events and end in one step, without effect on a stream that has ended [S20]', async () => {
      const last = { events: ['y', 'z'], limits: roomy };
      await append('x');
      const ends = await Promise.all(Array.from({ length: 5 }, () => started().store.events.end('a', '1', last)));
      expect(ends).toEqual([3, undefined, undefined, undefined, undefined]);
      const events = ['x', 'y', 'z'].map((data, i) => ({ n: i + 1, data }));
      expect(await after(0)).toEqual({ from: 0, events, ended: true });
      expect(await append('late')).toBeUndefined();
      expect(await started().store.events.end('a', '2', { events: ['only'], limits: roomy })).toBe(1);
      expect(await after(0, '2')).toEqual({ from: 0, events: [{ n: 1, data: 'only' }], ended: true });
      expect(await started().store.events.end('a', 'none', { events: [], limits: roomy })).toBeUndefined();
      expect(await after(0, 'none')).toBeUndefined();
    });

    it('have the limits of their store for last events too', async () => {
      const small: EventLogLimits = { ...roomy, maxStreamChars: 300, maxSessionChars: 1000 };
      await append('x', '1', small);
      expect(await started().store.events.end('a', '1', { events: ['y'.repeat(5000)], limits: small })).toBe(2);
      expect(await after(0)).toEqual({ from: 2, events: [], ended: true });
      await append('x', '2', small);
      const isAwaited = { ...small, isAwaited: true };
      expect(await started().store.events.end('a', '2', { events: ['y'.repeat(5000)], limits: isAwaited })).toBe(2);
      expect((await after(0, '2'))?.events).toHaveLength(2);
    });
  });

  describe(`living nodes, ${name}`, () => {
    const beat = async (node: string, ttlMs = 1000) =>
      [...((await started().store.nodes?.beat(node, ttlMs)) ?? [])].sort();

    it('are those that reported it in time, by the clock of the store [S20]', async () => {
      expect(await beat('a')).toEqual(['a']);
      expect(await beat('b', 5000)).toEqual(['a', 'b']);
      started().advance(999);
      expect(await beat('b', 5000)).toEqual(['a', 'b']);
      started().advance(1);
      expect(await beat('c')).toEqual(['b', 'c']);
      expect(await beat('a')).toEqual(['a', 'b', 'c']);
      started().advance(999);
      expect(await beat('a')).toEqual(['a', 'b', 'c']);
      started().advance(4001);
      expect(await beat('ä 🌍')).toEqual(['ä 🌍']);
    });

    it('are not those that have left, or were lost with the store [S20]', async () => {
      await beat('a');
      await beat('b');
      await started().store.nodes?.leave('a');
      await started().store.nodes?.leave('never here');
      expect(await beat('b')).toEqual(['b']);
      await started().lose();
      expect(await beat('c')).toEqual(['c']);
    });

    it('are all there when many report it at the same moment', async () => {
      const names = Array.from({ length: 20 }, (_, n) => `n${String(n).padStart(2, '0')}`);
      await Promise.all(names.map((name) => beat(name)));
      expect(await beat('n00')).toEqual(names);
    });
  });
}
