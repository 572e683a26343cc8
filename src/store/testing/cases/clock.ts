/** The clock of the store, which never goes back. */
import { check, same } from '../check.ts';
import { type Cases, put, rowIn } from '../tested-store.ts';

const hour = 3_600_000;

export const clockCases: Cases = {
  async 'now of a run is the time of the store'(store) {
    const first = await store.run(put('a'));
    same(rowIn(await store.row('a')).createdAt, first.now, 'when the row was created');
    await store.advance(1234);
    same((await store.run()).now, first.now + 1234, 'now after 1234 ms');
    same((await store.refused('condition', put('a', { when: 'absent' }))).now, first.now + 1234, 'now of a failed run');
    check(first.now > Date.UTC(2000, 0) && first.now < Date.UTC(2200, 0), `now is since the Unix epoch (${first.now})`);
  },

  async 'a clock that is set back does not change the time of the store'(store) {
    const before = await store.run(put('a', { due: [{ queue: 'q', inMs: 1000 }] }));
    await store.advance(-hour);
    const after = await store.run(put('b', { expiresInMs: 1000 }));
    check(after.now >= before.now, `now does not fall (${after.now - before.now})`);
    check(rowIn(await store.row('b')).createdAt >= before.now, 'nor does createdAt');
    same((await store.row('b'))?.expiresAt, after.now + 1000, 'when a row expires');
    const other = await store.other.run('p', []);
    check(other.now >= before.now, 'nor does it on another connection');
    await store.advance(hour + 1001);
    same(await store.row('b'), undefined, 'the row that has expired since');
    same(await store.takeKeys(), ['a'], 'what is due since');
  },

  async 'what had expired does not come back'(store) {
    await store.done(put('a', { expiresInMs: 1000, alias: 'x', groups: [{ name: 'g' }] }));
    await store.advance(1001);
    same(await store.row('a'), undefined, 'the row');
    await store.advance(-hour);
    same([await store.row('a'), await store.keys('g')], [undefined, []], 'the row and its group');
    await store.done(put('b', { alias: 'x' }));
  },

  async 'what was taken is not taken again when the clock is set back'(store) {
    await store.done(put('a', { due: [{ queue: 'q', inMs: 0 }] }), {
      op: 'tokens',
      key: 't',
      costMs: 1000,
      fullMs: 1000,
    });
    const [taken] = await store.take({ leaseMs: 1000 });
    await store.advance(-hour);
    same(await store.takeKeys(), [], 'what was taken');
    same(
      (await store.refused('tokens', { op: 'tokens', key: 't', costMs: 1000, fullMs: 1000 })).waitMs,
      1000,
      'the wait',
    );
    await store.advance(hour + 1001);
    const [again] = await store.take();
    check((again?.row.taken?.at ?? 0) > (taken?.row.taken?.at ?? 0), 'the second take is later');
  },
};
