/** The contract of every store of runs that may happen once. The test of a driver passes its store to `testOnceStore`. */
import type { OnceRun, OnceState, OnceStore } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface OnceStoreUnderTest {
  /** Two connections to the same data, where a store has connections. */
  readonly stores: readonly [OnceStore, OnceStore];
  /** Moves the store's clock. */
  advance(ms: number): void;
  /** Whether the store limits what all owners store together. */
  readonly hasTotals: boolean;
  close?(): void | Promise<void>;
}

/** What the store under test has room for. */
export const onceLimits = { maxKeys: 6, maxKeysPerOwner: 3, maxChars: 60, maxCharsPerOwner: 25 };

/** The same of a store that cannot count all of its keys. */
export const onceLimitsInParts = {
  maxKeysPerOwner: onceLimits.maxKeysPerOwner,
  maxCharsPerOwner: onceLimits.maxCharsPerOwner,
  maxSharedKeys: 160,
  maxSharedChars: 1600,
};

const leaseMs = 1000;
const ttlMs = 10_000;

export function testOnceStore(name: string, start: () => OnceStoreUnderTest | Promise<OnceStoreUnderTest>): void {
  let test: OnceStoreUnderTest;
  let one: OnceStore;
  let another: OnceStore;
  beforeEach(async () => {
    test = await start();
    [one, another] = test.stores;
  });
  afterEach(async () => {
    await test.close?.();
  });
  const run = (holder: string, digest = 'd'): OnceRun => ({ digest, holder, leaseMs, ttlMs });
  const begin = async (store: OnceStore, holder: string, key = 'k', owner = 'ada', digest = 'd'): Promise<OnceState> =>
    store.begin(owner, key, run(holder, digest));
  const stateOf = async (...given: Parameters<typeof begin>) => (await begin(...given)).state;
  const ended = (text?: string) => ({ state: 'ended', text });

  describe(`runs that may happen once, ${name}`, () => {
    it('are begun by one of many at the same moment, on any connection', async () => {
      const stores = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : another));
      const states = await Promise.all(stores.map((store, n) => stateOf(store, `h${n}`)));
      expect(states.filter((state) => state === 'begun')).toEqual(['begun']);
      expect(states.filter((state) => state === 'running')).toHaveLength(19);
    });

    it('report how long the lease still lasts, and that the key was used for something else', async () => {
      await begin(one, 'h1');
      test.advance(400);
      expect(await begin(another, 'h2')).toEqual({ state: 'running', leaseMs: 600 });
      expect(await begin(another, 'h2', 'k', 'ada', 'other')).toEqual({ state: 'other' });
      expect(await one.end('ada', 'k', run('h1'), 'text')).toBe(true);
      expect(await begin(another, 'h2', 'k', 'ada', 'other')).toEqual({ state: 'other' });
    });

    it('belong to their owner: another owner, or none, has other runs under the same key', async () => {
      expect([
        await stateOf(one, 'h1'),
        await stateOf(one, 'h2', 'k', 'eve'),
        await stateOf(one, 'h3', 'k', ''),
      ]).toEqual(['begun', 'begun', 'begun']);
      expect(await one.end('eve', 'k', run('h1'), 'x')).toBe(false);
      expect(await one.end('ada', 'k', run('h1'), 'of ada')).toBe(true);
      expect(await stateOf(another, 'h4', 'k', 'eve')).toBe('running');
      expect(await begin(another, 'h4')).toEqual(ended('of ada'));
    });

    it('that have ended return their text until the ttl has passed, then can be begun again', async () => {
      await begin(one, 'h1');
      expect(await one.end('ada', 'k', run('h1'), 'ä 🌍 "')).toBe(true);
      test.advance(ttlMs - 1);
      expect(await begin(another, 'h2')).toEqual(ended('ä 🌍 "'));
      test.advance(1);
      expect(await stateOf(another, 'h2')).toBe('begun');
    });

    it('end without a text, and an empty text is a text', async () => {
      await begin(one, 'h1');
      await one.end('ada', 'k', run('h1'), undefined);
      expect(await begin(another, 'h2')).toEqual(ended());
      await begin(one, 'h1', 'empty');
      await one.end('ada', 'empty', run('h1'), '');
      expect(await begin(another, 'h2', 'empty')).toEqual(ended(''));
    });

    it('whose lease has lapsed are unknown until the ttl has passed, and are not begun again before [S31]', async () => {
      await begin(one, 'h1');
      test.advance(leaseMs - 1);
      expect(await stateOf(another, 'h2')).toBe('running');
      test.advance(1);
      expect(await stateOf(another, 'h2')).toBe('unknown');
      test.advance(ttlMs - 1);
      expect(await stateOf(another, 'h3')).toBe('unknown');
      test.advance(1);
      expect(await stateOf(another, 'h3')).toBe('begun');
    });

    it('whose lease has lapsed record the end that their holder reports late', async () => {
      await begin(one, 'h1');
      test.advance(leaseMs + 1);
      expect(await stateOf(another, 'h2')).toBe('unknown');
      expect(await one.end('ada', 'k', run('h1'), 'late')).toBe(true);
      expect(await begin(another, 'h2')).toEqual(ended('late'));
    });

    it('record no end once they are forgotten: another may have run since', async () => {
      await begin(one, 'h1');
      test.advance(leaseMs + ttlMs);
      expect(await one.end('ada', 'k', run('h1'), 'too late')).toBe(false);
      expect(await stateOf(another, 'h2')).toBe('begun');
      expect(await one.end('ada', 'k', run('h1'), 'too late')).toBe(false);
      expect(await one.renew('ada', 'k', run('h1'))).toBe(false);
      expect(await one.release('ada', 'k', run('h1'))).toBe(false);
      expect(await stateOf(one, 'h1')).toBe('running');
    });

    it('go on while their lease is renewed, also after it has lapsed', async () => {
      await begin(one, 'h1');
      for (let n = 0; n < 5; n++) {
        test.advance(leaseMs - 1);
        expect(await one.renew('ada', 'k', run('h1'))).toBe(true);
      }
      expect(await begin(another, 'h2')).toEqual({ state: 'running', leaseMs });
      test.advance(leaseMs);
      expect(await stateOf(another, 'h2')).toBe('unknown');
      expect(await one.renew('ada', 'k', run('h1'))).toBe(true);
      expect(await stateOf(another, 'h2')).toBe('running');
      expect(await another.renew('ada', 'k', run('h2'))).toBe(false);
      await one.end('ada', 'k', run('h1'), 'x');
      expect(await one.renew('ada', 'k', run('h1'))).toBe(false);
    });

    it('that were released can be begun by anyone, and only their holder releases them', async () => {
      await begin(one, 'h1');
      expect(await another.release('ada', 'k', run('h2'))).toBe(false);
      expect(await one.release('ada', 'k', run('h1'))).toBe(true);
      expect(await stateOf(another, 'h2', 'k', 'ada', 'other')).toBe('begun');
      expect(await one.release('ada', 'k', run('h1'))).toBe(false);
      await another.end('ada', 'k', run('h2'), 'x');
      expect(await another.release('ada', 'k', run('h2'))).toBe(false);
      expect(await begin(one, 'h3', 'k', 'ada', 'other')).toEqual(ended('x'));
    });

    it('are the same after a holder has repeated an operation whose answer it did not get', async () => {
      expect([await stateOf(one, 'h1'), await stateOf(another, 'h1')]).toEqual(['begun', 'begun']);
      expect([await one.end('ada', 'k', run('h1'), 'x'), await another.end('ada', 'k', run('h1'), 'y')]).toEqual([
        true,
        true,
      ]);
      expect(await begin(another, 'h1')).toEqual(ended('x'));
    });

    it('of one owner are refused beyond maxKeysPerOwner until some are forgotten, and those of others are not', async () => {
      for (const key of ['a', 'b', 'c']) expect(await stateOf(one, 'h', key)).toBe('begun');
      expect(await begin(another, 'h', 'd')).toEqual({ state: 'full', limit: 'maxKeysPerOwner' });
      expect([await stateOf(one, 'h', 'd', 'eve'), await stateOf(one, 'x', 'a')]).toEqual(['begun', 'running']);
      await one.end('ada', 'a', run('h'), 'x');
      expect(await stateOf(another, 'h', 'd')).toBe('full');
      await one.release('ada', 'b', run('h'));
      expect([await stateOf(another, 'h', 'd'), await stateOf(another, 'h', 'e')]).toEqual(['begun', 'full']);
      test.advance(leaseMs + ttlMs);
      expect(await stateOf(another, 'h', 'e')).toBe('begun');
    });

    it('without an owner are refused beyond maxKeys, or maxSharedKeys where the store counts them in parts [S24, S36]', async () => {
      const max = test.hasTotals ? onceLimits.maxKeys : onceLimitsInParts.maxSharedKeys;
      const begun: string[] = [];
      const refused: OnceState[] = [];
      for (let n = 0; n < max * 2; n++) {
        const state = await one.begin('', `k${n}`, { ...run('h'), share: `address ${n}` });
        if (state.state === 'begun') begun.push(`k${n}`);
        else refused.push(state);
      }
      for (const state of refused) expect(state).toEqual({ state: 'full', limit: 'maxKeys' });
      expect(begun.length).toBeLessThanOrEqual(max);
      expect(begun.length).toBeGreaterThan(max / 2);
      expect(await stateOf(another, 'h', 'own')).toBe('begun');
      test.advance(leaseMs + ttlMs);
      for (const key of begun) expect(await stateOf(another, 'h2', key, '')).toBe('begun');
    });

    it('without an owner count for their share, which is never that of an owner or of another share [S24, S36]', async () => {
      const shared = (share: string): OnceRun => ({ ...run('h'), share });
      const beginFor = async (share: string, key: string) => one.begin('', key, shared(share));
      const states: OnceState[] = [];
      // Enough keys for any limit of a store that counts them in parts.
      for (let n = 0; n < 100; n++) states.push(await beginFor('x', `x${n}`));
      const refused = states.filter(({ state }) => state !== 'begun');
      const begun = states.length - refused.length;
      // A store that cannot count all of its keys counts them in 16 parts, each of which has room for at least one.
      expect(begun).toBeGreaterThanOrEqual(onceLimits.maxKeysPerOwner);
      expect(begun).toBeLessThanOrEqual(Math.max(onceLimits.maxKeysPerOwner, test.hasTotals ? 0 : 16));
      for (const one of refused) expect(one).toEqual({ state: 'full', limit: 'maxKeysPerOwner' });
      const others: OnceState[] = [];
      for (const key of ['a', 'b', 'c']) {
        others.push(await beginFor('y', key));
        expect(await stateOf(one, 'h', key)).toBe('begun');
        expect(await stateOf(one, 'h', key, 'x')).toBe('begun');
      }
      // Keys of one part may be its own rivals, never those of another share.
      const room = test.hasTotals ? others.length : 1;
      expect(others.filter(({ state }) => state === 'begun').length).toBeGreaterThanOrEqual(room);
    });

    it('are apart from keys that were used, which count for their owner and not for another [S24, S36]', async () => {
      const until = (): number => Date.now() + 1e9;
      const burn = async (key: string, owner: string): Promise<boolean> => one.burn(key, until(), owner);
      const used: unknown[] = [];
      for (let n = 0; n < 100; n++)
        used.push(await burn(`key ${n}`, 'x').catch(({ code }: { readonly code?: string }) => code));
      const count = used.filter((done) => done === true).length;
      expect(used.filter((done) => done !== true)).toEqual(Array(100 - count).fill('store-failed'));
      expect(count).toBeGreaterThanOrEqual(onceLimits.maxKeysPerOwner);
      expect(count).toBeLessThanOrEqual(Math.max(onceLimits.maxKeysPerOwner, test.hasTotals ? 0 : 16));
      expect(await burn('other', 'y')).toBe(true);
    });

    it('without an owner are found by any share, so that none runs twice [S24, S36]', async () => {
      expect(await one.begin('', 'k', { ...run('h1'), share: 'x' })).toEqual({ state: 'begun' });
      expect(await another.begin('', 'k', { ...run('h2'), share: 'y' })).toMatchObject({ state: 'running' });
      expect(await one.end('', 'k', { ...run('h1'), share: 'x' }, 'text')).toBe(true);
      expect(await another.begin('', 'k', { ...run('h2'), share: 'y' })).toEqual(ended('text'));
    });

    it('of one owner lose their oldest texts beyond maxCharsPerOwner, and stay known', async () => {
      const end = async (key: string, text: string, owner = 'ada') => {
        await begin(one, 'h', key, owner);
        expect(await one.end(owner, key, run('h'), text)).toBe(true);
      };
      await end('other', 'x'.repeat(25), 'eve');
      await end('a', 'x'.repeat(10));
      await end('b', 'y'.repeat(10));
      await end('c', 'z'.repeat(10));
      const states = await Promise.all(['a', 'b', 'c'].map((key) => begin(another, 'h2', key)));
      expect(states).toEqual([ended(), ended('y'.repeat(10)), ended('z'.repeat(10))]);
      expect(await begin(another, 'h2', 'other', 'eve')).toEqual(ended('x'.repeat(25)));
      await end('long', 'x'.repeat(26), 'eve');
      expect(await begin(another, 'h2', 'long', 'eve')).toEqual(ended());
      expect(await begin(another, 'h2', 'other', 'eve')).toEqual(ended('x'.repeat(25)));
    });

    it('lose their oldest texts beyond maxChars, where the store limits it', async () => {
      for (const owner of ['a', 'b', 'c']) {
        await begin(one, 'h', 'k', owner);
        await one.end(owner, 'k', run('h'), 'x'.repeat(24));
      }
      const text = 'x'.repeat(24);
      const states = await Promise.all(['a', 'b', 'c'].map((owner) => begin(another, 'h2', 'k', owner)));
      expect(states).toEqual([ended(test.hasTotals ? undefined : text), ended(text), ended(text)]);
    });
  });
}
