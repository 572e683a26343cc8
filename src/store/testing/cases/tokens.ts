/** Token buckets. */
import { check, same } from '../check.ts';
import { type Cases, put } from '../tested-store.ts';

const tokens = (key: string, costMs: number, fullMs: number) => ({ op: 'tokens', key, costMs, fullMs }) as const;

export const tokenCases: Cases = {
  async 'tokens are there until the bucket is empty, and come back with time'(store) {
    for (let taken = 0; taken < 3; taken++) same(await store.done(tokens('a', 1000, 3000)), [undefined], 'the result');
    const failed = await store.refused('tokens', put('n'), tokens('a', 1000, 3000));
    same([failed.failed, failed.waitMs], [1, 1000], 'the index and how long to wait');
    await store.advance(998);
    same((await store.refused('tokens', tokens('a', 1000, 3000))).waitMs, 2, 'how long to wait later');
    await store.advance(2);
    await store.done(tokens('a', 1000, 3000));
    await store.refused('tokens', tokens('a', 1000, 3000));
  },

  async 'a bucket is never more than full'(store) {
    await store.done(tokens('a', 1000, 2000));
    await store.advance(3_600_000);
    await store.done(tokens('a', 1000, 2000));
    await store.done(tokens('a', 1000, 2000));
    await store.refused('tokens', tokens('a', 1000, 2000));
  },

  async 'more than a bucket holds is never there'(store) {
    await store.refused('tokens', tokens('a', 3001, 3000));
    await store.done(tokens('a', 3000, 3000));
    await store.advance(1_000_000);
    await store.refused('tokens', tokens('a', 3001, 3000));
  },

  async 'tokens that are refused cost nothing'(store) {
    await store.done(tokens('a', 1500, 2000));
    await store.refused('tokens', tokens('a', 1000, 2000));
    await store.refused('tokens', tokens('a', 1000, 2000));
    await store.done(tokens('a', 500, 2000));
  },

  async 'several buckets are all or nothing, and the one that takes longest is reported'(store) {
    await store.done(tokens('a', 1000, 1000), tokens('b', 5000, 5000));
    const failed = await store.refused(
      'tokens',
      tokens('free', 1000, 1000),
      tokens('a', 1000, 1000),
      tokens('b', 3000, 5000),
      tokens('c', 1000, 1000),
    );
    same([failed.failed, failed.waitMs], [2, 3000], 'the index and how long to wait');
    const apart = await store.refused('tokens', tokens('a', 1000, 1000), put('n'), tokens('b', 3000, 5000));
    same([apart.failed, apart.waitMs], [2, 3000], 'the index and how long to wait, with another op between');
    await store.done(tokens('free', 1000, 1000), tokens('c', 1000, 1000));
    await store.advance(3000);
    await store.done(tokens('a', 1000, 1000), tokens('b', 3000, 5000));
  },

  async 'tokens are not taken where another condition fails'(store) {
    await store.done(put('a'));
    await store.refused('condition', tokens('t', 1000, 1000), put('a', { when: 'absent' }));
    await store.refused('full', tokens('t', 1000, 1000), put('b', { groups: [{ name: 'g', max: 0 }] }));
    await store.done(tokens('t', 1000, 1000));
  },

  async 'a bucket whose limit was lowered is no more than the new limit away'(store) {
    await store.done(tokens('a', 60_000, 60_000));
    same((await store.refused('tokens', tokens('a', 1000, 2000))).waitMs, 1000, 'how long to wait');
    await store.advance(1000);
    await store.done(tokens('a', 1000, 2000));
  },

  async 'a bucket whose limit was raised has what was added'(store) {
    await store.done(tokens('a', 1000, 1000));
    await store.done(tokens('a', 4000, 5000));
    same((await store.refused('tokens', tokens('a', 1000, 5000))).waitMs, 1000, 'how long to wait');
  },

  async 'parts of milliseconds are not lost'(store) {
    for (const parts of [3, 7, 11]) {
      const key = `${parts}`;
      for (let taken = 0; taken < parts; taken++) await store.done(tokens(key, 1000 / parts, 1000));
      const { waitMs = 0 } = await store.refused('tokens', tokens(key, 1000 / parts, 1000));
      check(waitMs > 0 && waitMs <= Math.ceil(1000 / parts) + 1, `the wait is one part of ${parts} (${waitMs})`);
      await store.advance(waitMs);
      await store.done(tokens(key, 1000 / parts, 1000));
    }
  },

  async 'the wait that is reported is enough'(store) {
    await store.done(tokens('a', 1000.5, 1001));
    const { waitMs = 0 } = await store.refused('tokens', tokens('a', 700, 1001));
    await store.advance(waitMs);
    await store.done(tokens('a', 700, 1001));
  },

  async 'tokens of the same key in another partition are of another bucket'(store) {
    await store.done(tokens('a', 1000, 1000));
    await store.refused('tokens', tokens('a', 1000, 1000));
    const ran = await store.driver.run('other', [tokens('a', 1000, 1000)]);
    same(ran.failed, undefined, 'the run in the other partition');
  },

  async 'a bucket and a row of the same key are apart'(store) {
    await store.done(put('a', { data: 'text' }), tokens('a', 1000, 1000));
    await store.done({ op: 'delete', key: 'a' });
    await store.refused('tokens', tokens('a', 1000, 1000));
  },
};
