/** What every store of results does, part of the contract of every store. */
import type { ResultRoom } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import type { StoreUnderTest } from './contract.ts';

const room: ResultRoom = { ttlMs: 60_000, maxResults: 3, maxChars: 10_000 };

/** `started` returns the store of the running test. */
export function testResults(name: string, started: () => StoreUnderTest): void {
  describe(`long results, ${name}`, () => {
    const write = async (owner: string, key: string, text: string, change: Partial<ResultRoom> = {}): Promise<void> =>
      started().store.results?.write(owner, key, text, { ...room, ...change });
    const read = async (owner: string, key: string): Promise<string | undefined> =>
      started().store.results?.read(owner, key);

    it('are read as they were stored, by their owner and under their key only', async () => {
      const text = `ä 🌍 "\n${'line\r\n'.repeat(200)}`;
      await write('ada', 'r1', text);
      await write('eve', 'r1', 'of eve');
      expect(await read('ada', 'r1')).toBe(text);
      expect(await read('eve', 'r1')).toBe('of eve');
      expect(await read('ada', 'r2')).toBeUndefined();
      expect(await read('adar', '1')).toBeUndefined();
    });

    it('may have millions of characters', async () => {
      const text = 'ä line\n'.repeat(300_000);
      await write('ada', 'r1', text, { maxChars: 16_000_000 });
      expect((await read('ada', 'r1')) === text).toBe(true);
    });

    it('are replaced under the same key', async () => {
      await write('ada', 'r1', 'first');
      await write('ada', 'r1', 'second');
      expect(await read('ada', 'r1')).toBe('second');
    });

    it('expire by the clock of the store', async () => {
      await write('ada', 'r1', 'x', { ttlMs: 1000 });
      await write('ada', 'r2', 'y', { ttlMs: 5000 });
      started().advance(1000);
      expect([await read('ada', 'r1'), await read('ada', 'r2')]).toEqual([undefined, 'y']);
    });

    it('beyond the count of their owner replace the oldest, and none of another owner', async () => {
      await write('eve', 'r1', 'of eve');
      for (const key of ['r1', 'r2', 'r3', 'r4']) await write('ada', key, key);
      expect(await Promise.all(['r1', 'r2', 'r3', 'r4'].map((key) => read('ada', key)))).toEqual([
        undefined,
        'r2',
        'r3',
        'r4',
      ]);
      expect(await read('eve', 'r1')).toBe('of eve');
    });

    it('beyond the characters of their owner replace the oldest', async () => {
      const long = 'x'.repeat(6000);
      await write('ada', 'r1', long);
      await write('ada', 'r2', 'short');
      await write('ada', 'r3', long);
      expect(await read('ada', 'r1')).toBeUndefined();
      expect(await read('ada', 'r3')).toBe(long);
    });

    it('are lost with the contents of the store', async () => {
      await write('ada', 'r1', 'x');
      await started().lose();
      expect(await read('ada', 'r1')).toBeUndefined();
    });
  });
}
