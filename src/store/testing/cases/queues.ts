/** Queues: what is due, turns of lanes, and leases. */
import { check, same } from '../check.ts';
import { append, type Cases, put, rowIn } from '../tested-store.ts';

const due = (inMs: number | undefined, lane?: string, queue = 'q') => ({
  due: [{ queue, inMs, ...(lane !== undefined && { lane }) }],
});

export const queueCases: Cases = {
  async 'a row is taken when it is due, not before'(store) {
    await store.done(put('a', due(0)), put('b', due(1000)), put('c'));
    same(await store.takeKeys(), ['a'], 'what was taken at once');
    await store.advance(999);
    same(await store.takeKeys(), [], 'what was taken before');
    await store.advance(2);
    same(await store.takeKeys(), ['b'], 'what was taken then');
  },

  async 'a row is taken once by a request that names its partition and its queue twice'(store) {
    await store.done(put('a', due(0)), put('b', due(0)));
    same(await store.takeKeys({ partitions: ['p', 'p'], queues: ['q', 'q'] }), ['a', 'b'], 'what was taken');
    same((await store.row('a'))?.taken?.count, 1, 'how often it was taken');
  },

  async 'a taken row has the holder as version, and its partition, text, fields and what it was taken from'(store) {
    await store.done(put('a', { ...due(0), data: 'text', fields: { one: '1' }, expiresInMs: 90_000 }));
    const before = rowIn(await store.row('a'));
    await store.advance(500);
    const [taken] = await store.take({ holder: 'holder' });
    const at = before.updatedAt + 500;
    const row = { ...before, version: 'holder', taken: { queue: 'q', count: 1, at } };
    same(taken, { partition: 'p', row }, 'what was taken');
    same(await store.row('a'), row, 'the row');
  },

  async 'a row that is taken belongs to the holder: writes with the old version fail'(store) {
    await store.done(put('a', { ...due(0), version: 'v' }));
    await store.take({ holder: 'holder' });
    await store.refused('condition', put('a', { when: { version: 'v' } }));
    await store.done(put('a', { when: { version: 'holder' } }));
  },

  async 'taken is counted until the next put'(store) {
    await store.done(put('a', due(0)));
    for (const count of [1, 2, 3]) {
      const [taken] = await store.take({ leaseMs: 1000 });
      same(taken?.row.taken?.count, count, 'how often it was taken');
      await store.advance(1001);
    }
    await store.done(put('a', { data: 'text' }));
    same((await store.row('a'))?.taken, undefined, 'taken after a put');
    const [again] = await store.take();
    same(again?.row.taken?.count, 1, 'how often it was taken since');
  },

  async 'a row is not taken again before its lease ends'(store) {
    await store.done(put('a', due(0)));
    same(await store.takeKeys({ leaseMs: 1000, holder: 'first' }), ['a'], 'what was taken');
    same(await store.takeKeys(), [], 'what was taken at once');
    await store.advance(999);
    same(await store.takeKeys(), [], 'what was taken before the end');
    await store.advance(2);
    const [taken] = await store.take({ leaseMs: 1000, holder: 'second' });
    same([taken?.row.key, taken?.row.version], ['a', 'second'], 'what was taken after it');
    await store.refused('condition', put('a', { when: { version: 'first' } }));
  },

  async 'lanes whose rows have left, or are due later, keep no other from its turn'(store) {
    for (const lane of ['a', 'b', 'c']) await store.done(put(`${lane}1`, due(0, lane)), put(`${lane}2`, due(0, lane)));
    same(await store.takeKeys({ max: 3 }), ['a1', 'b1', 'c1'], 'one of each lane');
    await store.done({ op: 'delete', key: 'a2' }, put('b2', due(60_000)), put('c2', due(undefined)));
    await store.done(put('d1', due(0, 'd')));
    same(await store.takeKeys({ max: 1 }), ['d1'], 'what was taken of the lane behind them');
    same(await store.takeKeys({ max: 1 }), [], 'what is left');
  },

  async 'a put changes the queues that it names, and leaves the others'(store) {
    await store.done(
      put('a', {
        due: [
          { queue: 'q', inMs: 1000 },
          { queue: 'r', inMs: 1000 },
        ],
      }),
    );
    await store.done(put('a', due(5000)));
    await store.advance(1001);
    same([await store.takeKeys(), await store.takeKeys({ queues: ['r'] })], [[], ['a']], 'what was taken');
    await store.done(put('a', { due: [{ queue: 'q', inMs: undefined }] }));
    await store.advance(100_000);
    same([await store.takeKeys(), await store.takeKeys({ queues: ['r'] })], [[], ['a']], 'what was taken later');
  },

  async 'a holder that puts the row changes when it is due, or ends it'(store) {
    await store.done(put('a', due(0)), put('b', due(0)), put('c', due(0)));
    await store.take({ leaseMs: 1000 });
    await store.done(put('a', due(3000)), put('b', due(undefined)), put('c', { data: 'still mine' }));
    await store.advance(1001);
    same(await store.takeKeys(), ['c'], 'what is due when the leases end');
    await store.advance(2000);
    same(await store.takeKeys(), ['a'], 'what is due later');
  },

  async 'a row can be created already leased'(store) {
    await store.done(put('a', { ...due(1000), version: 'holder' }));
    same(await store.takeKeys(), [], 'what was taken at once');
    await store.advance(1001);
    same(await store.takeKeys(), ['a'], 'what was taken when the lease ended');
  },

  async 'a row that is deleted is not taken'(store) {
    await store.done(put('a', due(0)), put('b', due(0)));
    await store.done({ op: 'delete', key: 'a' });
    same(await store.takeKeys(), ['b'], 'what was taken');
    await store.done({ op: 'delete', key: 'b' }, put('b'));
    await store.advance(100_000);
    same(await store.takeKeys(), [], 'what was taken later');
  },

  async 'in a lane the row that has been due longest is first'(store) {
    for (const [key, inMs] of Object.entries({ c: 30, a: 10, d: 40, b: 20, e: 0 }))
      await store.done(put(key, due(inMs)));
    await store.advance(100);
    same(await store.takeKeys({ max: 2 }), ['e', 'a'], 'what was taken first');
    same(await store.takeKeys({ max: 2 }), ['b', 'c'], 'what was taken next');
    same(await store.takeKeys({ max: 2 }), ['d'], 'what was taken last');
  },

  async 'lanes take turns in one call'(store) {
    for (let at = 0; at < 6; at++) {
      await store.done(put(`long ${at}`, due(0, 'long')));
      await store.advance(1);
    }
    await store.done(put('one', due(0, 'one')), put('two', due(0, 'two')));
    await store.advance(1);
    same((await store.takeKeys({ max: 3 })).toSorted(), ['long 0', 'one', 'two'], 'what was taken');
    same(await store.takeKeys({ max: 9 }), ['long 1', 'long 2', 'long 3', 'long 4', 'long 5'], 'the rest');
  },

  async 'lanes take turns over several calls'(store) {
    for (let at = 0; at < 4; at++) {
      await store.done(put(`long ${at}`, due(0, 'long')));
      await store.advance(1);
    }
    for (const at of [0, 1]) {
      await store.done(put(`short ${at}`, due(0, 'short')));
      await store.advance(1);
    }
    const taken: string[] = [];
    for (let at = 0; at < 4; at++) taken.push(...(await store.takeKeys({ max: 1 })));
    same(taken.toSorted(), ['long 0', 'long 1', 'short 0', 'short 1'], 'what was taken by four calls');
  },

  async 'a lane that always has rows does not starve another'(store) {
    await store.done(put('old', due(0, 'busy')));
    await store.advance(1);
    await store.done(put('waits', due(0, 'other')));
    const taken: string[] = [];
    for (let at = 0; at < 4; at++) {
      await store.done(put(`busy ${at}`, due(0, 'busy')));
      taken.push(...(await store.takeKeys({ max: 1 })));
      await store.advance(1);
    }
    check(taken.includes('waits'), `the row of the other lane is taken by four calls (${taken})`);
  },

  async 'take looks at all partitions and queues that it names, and at no others'(store) {
    const { driver } = store;
    for (const partition of ['p', 'r', 's'])
      for (const queue of ['q', 'other', 'none']) await driver.run(partition, [put(queue, due(0, partition, queue))]);
    const request = { partitions: ['p', 'r'], queues: ['q', 'other'] };
    const taken = await store.take(request);
    same(
      taken.map(({ partition, row }) => `${partition} ${row.key} ${row.taken?.queue}`).toSorted(),
      ['p other other', 'p q q', 'r other other', 'r q q'],
      'what was taken',
    );
    same(await store.takeKeys({ partitions: [] }), [], 'what was taken of no partition');
    same(await store.takeKeys({ queues: [] }), [], 'what was taken of no queue');
    same((await store.takeKeys({ partitions: ['s'] })).length, 1, 'what is left in the third partition');
  },

  async 'lanes of different partitions take turns'(store) {
    for (const key of ['a', 'b', 'c']) await store.driver.run('p', [put(key, due(0, 'one'))]);
    await store.advance(1);
    await store.driver.run('r', [put('d', due(0, 'other'))]);
    const taken = await store.takeKeys({ partitions: ['p', 'r'], max: 2 });
    check(taken.length === 2 && taken.includes('d'), `both lanes have a turn (${taken})`);
  },

  async 'take takes no more than max, over all partitions'(store) {
    for (const partition of ['p', 'r'])
      for (const key of ['a', 'b', 'c']) await store.driver.run(partition, [put(key, due(0))]);
    const request = { partitions: ['p', 'r'], max: 4 };
    same([(await store.take(request)).length, (await store.take(request)).length], [4, 2], 'how many were taken');
  },

  async 'take reads a log of each row'(store) {
    await store.done(put('a', due(0)), append('a', 'journal', ['1', '2']), append('a', 'other', ['x']));
    await store.done({ op: 'entries', row: 'a', log: 'journal', after: 1 });
    await store.advance(1);
    await store.done(put('b', due(0)));
    const expected = await store.log('a', 'journal', 0);
    const [one, other] = await store.take({ log: 'journal' });
    same(one?.log, expected, 'the log');
    same(
      one?.log?.entries,
      [
        { n: 1, data: '1' },
        { n: 2, data: '2' },
      ],
      'its entries',
    );
    same([other?.row.key, other?.log], ['b', undefined], 'a row without the log');
  },

  async 'a take that asks for no log has none'(store) {
    await store.done(put('a', due(0)), append('a', 'journal', ['1']));
    const [taken] = await store.take();
    same([taken?.row.key, taken?.log], ['a', undefined], 'what was taken');
  },

  async 'a row that is put into another lane is due there'(store) {
    await store.done(put('a', due(0, 'one')), put('b', due(0, 'one')), put('c', due(0, 'one')));
    await store.done(put('c', due(0, 'other')));
    const taken = await store.takeKeys({ max: 2 });
    check(taken.includes('c'), `the row in the other lane has its turn (${taken})`);
  },
};
