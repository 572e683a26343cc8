/** Conditions on rows, aliases, and that a run is all or nothing. */
import type { When } from '../../driver.ts';
import { same } from '../check.ts';
import { append, type Cases, put, rowIn } from '../tested-store.ts';

/** Each condition, and whether it holds without a row, for one with the version `v`, and for one with another. */
const table: readonly (readonly [When, boolean, boolean, boolean])[] = [
  ['absent', true, false, false],
  ['present', false, true, true],
  [{ version: 'v' }, false, true, false],
  [{ absentOr: 'v' }, true, true, false],
];

export const conditionCases: Cases = {
  async 'absent, present, version and absentOr hold for put and delete as they say'(store) {
    for (const [when, ...holds] of table)
      for (const [at, version] of [undefined, 'v', 'w'].entries())
        for (const op of ['put', 'delete'] as const) {
          const key = `${JSON.stringify(when)} ${version} ${op}`;
          if (version !== undefined) await store.done(put(key, { version }));
          const ran = await store.run(op === 'put' ? put(key, { when }) : { op, key, when });
          same(ran.failed === undefined, holds[at], `whether ${op} is done (${key})`);
        }
  },

  async 'a failed condition has the index, and the row that was found with text and fields'(store) {
    const row = { version: 'v', data: 'text', fields: { one: '1' } };
    await store.done(put('a', row));
    const failed = await store.refused('condition', put('b'), { op: 'get', key: 'b' }, put('a', { when: 'absent' }));
    same(failed.failed, 2, 'the index');
    same(failed.row, await store.row('a'), 'the row that was found');
    same(rowIn(failed.row).data, 'text', 'its text');
    const absent = await store.refused('condition', { op: 'delete', key: 'c', when: 'present' });
    same([absent.failed, absent.row], [0, undefined], 'the index and the row, where there is none');
  },

  async 'the first op whose condition fails is reported'(store) {
    await store.done(put('a', { alias: 'x' }), append('a', 'log', ['1'], { end: true }));
    const condition = put('a', { when: 'absent' });
    const alias = put('b', { alias: 'x' });
    const ended = append('a', 'log', ['2']);
    const tokens = { op: 'tokens', key: 't', costMs: 2, fullMs: 1 } as const;
    const full = put('c', { groups: [{ name: 'g', max: 0 }] });
    same((await store.refused('condition', condition, alias, ended, tokens, full)).failed, 0, 'the index');
    same((await store.refused('alias', put('n'), alias, ended, tokens, full, condition)).failed, 1, 'the index');
    same((await store.refused('ended', ended, tokens, full, condition, alias)).failed, 0, 'the index');
    same((await store.refused('tokens', put('n'), tokens, full, condition, alias)).failed, 1, 'the index');
    same((await store.refused('full', full, condition, alias, ended, tokens)).failed, 0, 'the index');
  },

  async 'a failed run changes nothing'(store) {
    await store.done(
      put('a', { version: 'v', data: 'text', groups: [{ name: 'g' }], due: [{ queue: 'q', inMs: 60_000 }] }),
      put('d', { expiresInMs: 60_000 }),
      append('a', 'log', ['1', '2']),
    );
    const before = await store.done({ op: 'get', key: 'a' }, { op: 'get', key: 'd' }, { op: 'logs', row: 'a' });
    await store.refused(
      'condition',
      put('new', { alias: 'x', groups: [{ name: 'g' }], due: [{ queue: 'q', inMs: 0 }] }),
      put('a', { data: 'other', fields: { one: '1' }, groups: [], due: [{ queue: 'q', inMs: 0 }], expiresInMs: 1 }),
      append('a', 'log', ['3'], { mark: 5, end: true }),
      append('a', 'second', ['1']),
      { op: 'entries', row: 'a', log: 'log', after: 2 },
      { op: 'trim', row: 'a', steps: 'all' },
      { op: 'tokens', key: 't', costMs: 1000, fullMs: 1000 },
      { op: 'delete', key: 'd' },
      put('a', { when: 'absent' }),
    );
    const after = await store.done({ op: 'get', key: 'a' }, { op: 'get', key: 'd' }, { op: 'logs', row: 'a' });
    same(after, before, 'the rows and logs');
    same(await store.row('new'), undefined, 'the new row');
    same(await store.keys('g'), ['a'], 'the group');
    same(await store.takeKeys(), [], 'what is due');
    same((await store.log('a', 'log'))?.entries?.length, 2, 'the entries');
    // The alias is free, and the bucket is full.
    await store.done(put('b', { alias: 'x' }), { op: 'tokens', key: 't', costMs: 1000, fullMs: 1000 });
    await store.advance(10);
    same((await store.row('a'))?.expiresAt, undefined, 'the expiry of the row');
  },

  async 'a run fails whole for every reason'(store) {
    await store.done(put('a', { alias: 'x' }), append('a', 'log', ['1'], { mark: 5 }));
    await store.done(append('a', 'ended', ['1'], { end: true }));
    await store.refused('alias', put('n'), put('b', { alias: 'x' }));
    await store.refused('full', put('n'), put('b', { groups: [{ name: 'g', max: 0 }] }));
    await store.refused('ended', put('n'), append('a', 'ended', ['2']));
    await store.refused('absent', put('n'), append('a', 'none', []));
    await store.refused('repeated', put('n'), append('a', 'log', ['1'], { at: 1 }));
    await store.refused('gap', put('n'), append('a', 'log', ['1'], { at: 3 }));
    await store.refused('mark', put('n'), append('a', 'log', ['1'], { mark: 5 }));
    await store.refused('tokens', put('n'), { op: 'tokens', key: 't', costMs: 2, fullMs: 1 });
    same([await store.row('n'), await store.row('b')], [undefined, undefined], 'the rows of runs that failed');
  },

  async 'conditions are checked on the state before the run'(store) {
    await store.done(put('a', { when: 'absent', data: '1' }), put('a', { when: 'absent', data: '2' }));
    same((await store.row('a'))?.data, '2', 'the text after two puts of a new row');
    await store.refused('condition', { op: 'delete', key: 'a' }, put('a', { when: 'absent' }));
    await store.refused('condition', put('a', { version: 'w' }), put('a', { when: { version: 'w' } }));
    await store.refused('condition', put('b'), { op: 'delete', key: 'b', when: 'present' });
    await store.refused('gap', append('a', 'log', ['1'], { at: 1 }), append('a', 'log', ['2'], { at: 2 }));
    same([(await store.row('a'))?.data, await store.row('b')], ['2', undefined], 'the rows');
  },

  async 'ops take effect in order, and each sees those before it'(store) {
    const [, first, , second, rows, , third, none] = await store.done(
      put('a', { data: '1', groups: [{ name: 'g' }] }),
      { op: 'get', key: 'a' },
      put('a', { data: '2' }),
      { op: 'get', key: 'a' },
      { op: 'list', group: 'g', max: 10 },
      { op: 'delete', key: 'a' },
      { op: 'get', key: 'a' },
      { op: 'list', group: 'g', max: 10 },
    );
    same([rowIn(first).data, rowIn(second).data, third], ['1', '2', undefined], 'what get found');
    same([rows, none], [[second], []], 'what list found');
    const [, , log, , gone] = await store.done(
      put('b'),
      append('b', 'log', ['1']),
      { op: 'logs', row: 'b' },
      { op: 'delete', key: 'b' },
      { op: 'logs', row: 'b' },
    );
    same([(log as readonly unknown[]).length, gone], [1, []], 'the logs before and after the delete');
    await store.done(put('c', { data: 'old', fields: { one: '1' } }));
    await store.done({ op: 'delete', key: 'c' }, put('c', { fields: { two: '2' } }));
    const created = rowIn(await store.row('c'));
    same([created.data, created.fields], [undefined, { two: '2' }], 'a row that was deleted and put in one run');
  },

  async 'a writer that repeats its run finds its own version'(store) {
    const create = put('a', { when: 'absent', version: 'first' });
    await store.done(create);
    same((await store.refused('condition', create)).row?.version, 'first', 'the version');
    const update = put('a', { when: { version: 'first' }, version: 'second' });
    await store.done(update);
    same((await store.refused('condition', update)).row?.version, 'second', 'the version');
  },

  async 'an alias of another living row fails the run, which has that row'(store) {
    await store.done(put('a', { alias: 'x', data: 'text' }));
    const failed = await store.refused('alias', put('n'), put('b', { alias: 'x' }));
    same([failed.failed, failed.row], [1, await store.row('a')], 'the index and the row');
    await store.done(put('a', { alias: 'x' }));
    await store.driver.run('other', [put('b', { alias: 'x' })]);
    const ran = await store.driver.run('other', [{ op: 'get', key: 'b' }]);
    same(ran.failed === undefined && rowIn(ran.results[0]).key, 'b', 'a row of another partition with the same alias');
  },

  async 'only a new row gets an alias, and it is free when its row is deleted'(store) {
    await store.done(put('a'));
    await store.done(put('a', { alias: 'x' }));
    await store.done(put('b', { alias: 'x' }));
    await store.refused('alias', put('a', { alias: 'x' }));
    await store.done({ op: 'delete', key: 'b' });
    await store.done(put('c', { alias: 'x' }));
    await store.refused('alias', put('d', { alias: 'x' }));
  },

  async 'a put without an alias leaves that of the row'(store) {
    await store.done(put('a', { alias: 'x' }));
    await store.done(put('a', { data: 'text' }));
    await store.refused('alias', put('b', { alias: 'x' }));
  },
};
