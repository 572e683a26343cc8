/** What has expired does not exist for any op, whether or not it was deleted. */
import { looseLogMs } from '../../driver.ts';
import { check, same } from '../check.ts';
import { append, type Cases, put, rowIn } from '../tested-store.ts';

export const expiryCases: Cases = {
  async 'a row exists until it expires'(store) {
    const ran = await store.run(put('a', { expiresInMs: 1000 }));
    await store.advance(999);
    same((await store.row('a'))?.expiresAt, ran.now + 1000, 'when it expires');
    await store.advance(2);
    same(await store.row('a'), undefined, 'the row after that');
  },

  async 'a put without expiry leaves it, one with expiry moves it'(store) {
    const ran = await store.run(put('a', { expiresInMs: 1000 }), put('b', { expiresInMs: 5000 }), put('c'));
    await store.advance(500);
    await store.done(put('a', { data: 'text' }), put('b', { expiresInMs: 1000 }));
    same((await store.row('a'))?.expiresAt, ran.now + 1000, 'the expiry after a put without one');
    same((await store.row('b'))?.expiresAt, ran.now + 1500, 'the expiry after a put with one');
    await store.done(put('a', { expiresInMs: 3000 }));
    await store.advance(2000);
    same([(await store.row('a'))?.key, await store.row('b')], ['a', undefined], 'the rows later');
    await store.advance(365 * 86_400_000);
    same((await store.row('c'))?.key, 'c', 'a row that never expires');
  },

  async 'conditions find no row that has expired'(store) {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await store.done(put(key, { version: 'v', expiresInMs: 1000 }));
    await store.advance(1001);
    same((await store.refused('condition', put('a', { when: 'present' }))).row, undefined, 'the row that was found');
    await store.refused('condition', put('b', { when: { version: 'v' } }));
    await store.refused('condition', { op: 'delete', key: 'b', when: 'present' });
    same(await store.done({ op: 'delete', key: 'c' }), [false], 'the result of delete');
    await store.done(put('d', { when: 'absent' }), put('e', { when: { absentOr: 'w' } }));
  },

  async 'a row that is created after it expired has nothing of the one before'(store) {
    const groups = [{ name: 'g' }];
    const due = [{ queue: 'q', inMs: 0 }];
    await store.done(put('a', { data: 'text', fields: { one: '1' }, expiresInMs: 1000, alias: 'x', groups, due }));
    const before = rowIn(await store.row('a'));
    await store.advance(1001);
    const ran = await store.run(put('a'));
    const after = rowIn(await store.row('a'));
    same([after.data, after.fields, after.expiresAt], [undefined, {}, undefined], 'text, fields and expiry');
    same(after.createdAt, ran.now, 'when it was created');
    check(after.number > before.number, 'it has a number of its own');
    same([await store.keys('g'), await store.takeKeys()], [[], []], 'its group and its queue');
    await store.done(put('b', { alias: 'x' }));
  },

  async 'groups neither list nor count rows that have expired'(store) {
    const groups = [{ name: 'g', max: 2 }];
    await store.done(put('a', { groups, expiresInMs: 1000 }), put('b', { groups }));
    await store.refused('full', put('c', { groups }));
    await store.advance(1001);
    same(await store.keys('g'), ['b'], 'the rows of the group');
    await store.done(put('c', { groups }));
    await store.refused('full', put('d', { groups }));
  },

  async 'a group over the store does not count rows that have expired'(store) {
    const groups = [{ name: 'g', max: 1, scope: 'store' as const }];
    await store.done(put('a', { groups, expiresInMs: 1000 }));
    await store.advance(1001);
    const ran = await store.driver.run('other', [put('b', { groups })]);
    same(ran.failed, undefined, 'a put into the group');
  },

  async 'a row that has expired takes no place of one that would be deleted for it'(store) {
    const groups = [{ name: 'g', max: 2, beyond: 'delete-oldest' as const }];
    await store.done(put('a', { groups }), put('b', { groups, expiresInMs: 1000 }));
    await store.advance(1001);
    await store.done(put('c', { groups }));
    same(await store.keys('g'), ['a', 'c'], 'the rows of the group');
  },

  async 'the text of a row that has expired is not counted'(store) {
    const groups = [{ name: 'g', maxChars: 10 }];
    await store.done(put('a', { groups, data: 'aaaaa' }), put('b', { groups, data: 'bbbbb', expiresInMs: 1000 }));
    await store.advance(1001);
    await store.done(put('c', { groups, data: 'ccccc' }));
    same([(await store.row('a'))?.data, (await store.row('c'))?.data], ['aaaaa', 'ccccc'], 'the texts');
  },

  async 'the alias of a row that has expired is free'(store) {
    await store.done(put('a', { alias: 'x', expiresInMs: 1000 }));
    await store.advance(1001);
    await store.done(put('b', { alias: 'x' }));
    // The row whose alias it was does not own it any more.
    await store.done(put('a'), { op: 'delete', key: 'a' });
    await store.refused('alias', put('c', { alias: 'x' }));
  },

  async 'a row that has expired is not taken'(store) {
    const due = [{ queue: 'q', inMs: 0 }];
    await store.done(put('a', { due, expiresInMs: 1000 }), put('b', { due }));
    await store.advance(1001);
    same(await store.takeKeys(), ['b'], 'what was taken');
  },

  async 'a row that expires while it is taken is not taken again'(store) {
    await store.done(put('a', { due: [{ queue: 'q', inMs: 0 }], expiresInMs: 1000 }));
    same(await store.takeKeys({ leaseMs: 500 }), ['a'], 'what was taken');
    await store.advance(1001);
    same([await store.takeKeys(), await store.row('a')], [[], undefined], 'what was taken later, and the row');
  },

  async 'logs go with their row when it expires'(store) {
    await store.done(put('a', { expiresInMs: 1000 }), append('a', 'log', ['1', '2'], { mark: 5, note: 'note' }));
    await store.advance(1001);
    same(await store.log('a', 'log'), undefined, 'the log');
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs');
    await store.refused('absent', append('a', 'log', []));
    await store.refused('gap', append('a', 'log', ['3'], { at: 3 }));
    const [log] = await store.done(append('a', 'log', ['new'], { at: 1, mark: 1 }));
    same(log, { ...(await store.log('a', 'log')), entries: undefined }, 'the log that began anew');
    same(await store.texts('a', 'log'), ['new'], 'its entries');
    same((await store.log('a', 'log'))?.note, undefined, 'its note');
  },

  async 'a row that is created after it expired has no logs'(store) {
    await store.done(put('a', { expiresInMs: 1000 }), append('a', 'log', ['1']));
    await store.advance(1001);
    await store.done(put('a'));
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs');
  },

  async 'the log of a row that does not exist goes an hour after its last entry'(store) {
    await store.done(append('a', 'log', ['1']));
    await store.advance(looseLogMs - 1000);
    await store.done(append('a', 'log', ['2']));
    await store.advance(looseLogMs - 1000);
    same(await store.texts('a', 'log'), ['1', '2'], 'the entries before');
    await store.advance(2000);
    same(await store.log('a', 'log'), undefined, 'the log after an hour');
    await store.done(put('a'));
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs of a row that is created then');
  },

  async 'a log that began before its row stays and goes with the row'(store) {
    await store.done(append('a', 'log', ['1']));
    await store.done(put('a', { expiresInMs: 2 * looseLogMs }));
    await store.advance(looseLogMs + 1000);
    await store.driver.sweep(100);
    same(await store.texts('a', 'log'), ['1'], 'the entries after an hour');
    await store.advance(looseLogMs);
    same(await store.log('a', 'log'), undefined, 'the log when its row has expired');
  },

  async 'sweep deletes what has expired, and nothing else'(store) {
    await store.done(...Array.from({ length: 9 }, (_, at) => put(`${at}`, { expiresInMs: 1000 })));
    await store.done(put('stays', { expiresInMs: 60_000, alias: 'x', groups: [{ name: 'g' }] }), put('always'));
    await store.done(append('stays', 'log', ['1']), append('loose', 'log', ['1']));
    same(await store.driver.sweep(100), 0, 'what was swept before anything had expired');
    await store.advance(1001);
    let swept = 0;
    for (let round = 0; round < 9; round++) {
      const count = await store.driver.sweep(2);
      check(count <= 2, `sweep(2) deletes at most 2 rows (${count})`);
      swept += count;
    }
    check(swept <= 9, `9 rows have expired (${swept} were swept)`);
    same(await store.driver.sweep(100), 0, 'what was swept after all rounds');
    same([(await store.row('stays'))?.key, (await store.row('always'))?.key], ['stays', 'always'], 'the other rows');
    same([await store.texts('stays', 'log'), await store.texts('loose', 'log')], [['1'], ['1']], 'the logs');
    await store.refused('alias', put('b', { alias: 'x' }));
    same(await store.keys('g'), ['stays'], 'the group');
  },
};
