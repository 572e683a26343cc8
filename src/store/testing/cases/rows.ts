/** What is stored in a row, and what the ops on rows return. */
import { maxOps, type Row } from '../../driver.ts';
import { check, same } from '../check.ts';
import { type Cases, put, rowIn } from '../tested-store.ts';

export const rowCases: Cases = {
  async 'a row has the key, version, text, fields and times of its put'(store) {
    const ran = await store.run(put('a', { version: 'v', data: 'text', fields: { one: '1', two: '2' } }));
    const row = await store.row('a');
    same(
      { ...row, number: 0 },
      {
        key: 'a',
        version: 'v',
        data: 'text',
        fields: { one: '1', two: '2' },
        number: 0,
        createdAt: ran.now,
        updatedAt: ran.now,
      },
      'the row',
    );
  },

  async 'a row that was never put is undefined, and a row without text has none'(store) {
    same(await store.row('a'), undefined, 'the row that does not exist');
    await store.done(put('a'));
    const row = rowIn(await store.row('a'));
    same([row.data, row.fields], [undefined, {}], 'text and fields');
  },

  async 'put returns the row without its text and fields'(store) {
    await store.done(put('a', { data: 'text', fields: { one: '1' } }));
    const [result] = await store.done(put('a', { version: 'v', expiresInMs: 1000 }));
    const stored = rowIn(await store.row('a'));
    same(result, { ...stored, data: undefined, fields: {} }, 'the result of put');
  },

  async 'a put without text leaves the text, one with text replaces it'(store) {
    await store.done(put('a', { data: 'first' }));
    await store.done(put('a'));
    same((await store.row('a'))?.data, 'first', 'the text after a put without one');
    await store.done(put('a', { data: '' }));
    same((await store.row('a'))?.data, '', 'the empty text');
  },

  async 'fields are merged, and null deletes one'(store) {
    await store.done(put('a', { fields: { one: '1', two: '2', three: '3' } }));
    await store.done(put('a', { fields: { two: null, three: 'drei', four: '', none: null } }));
    same((await store.row('a'))?.fields, { one: '1', three: 'drei', four: '' }, 'the fields');
    await store.done(put('a'));
    same((await store.row('a'))?.fields, { one: '1', three: 'drei', four: '' }, 'the fields after a put without any');
  },

  async 'a put moves updatedAt, and leaves createdAt and number'(store) {
    const [created] = await store.done(put('a'));
    await store.advance(500);
    const [updated] = await store.done(put('a'));
    const [before, after] = [rowIn(created), rowIn(updated)];
    same([after.createdAt, after.number], [before.createdAt, before.number], 'createdAt and number');
    same(after.updatedAt, before.updatedAt + 500, 'updatedAt');
  },

  async 'numbers grow with every row that is created'(store) {
    const results = await store.done(put('b'), put('a'), put('c'));
    const [later] = await store.done(put('0'));
    const numbers = [...results, later].map((result) => rowIn(result).number);
    check(
      numbers.every((number, at) => at === 0 || number > (numbers[at - 1] as number)),
      `numbers grow (${numbers})`,
    );
  },

  async 'delete returns whether there was a row'(store) {
    await store.done(put('a'));
    same(await store.done({ op: 'delete', key: 'a' }), [true], 'the first delete');
    same(await store.done({ op: 'delete', key: 'a' }), [false], 'the second');
    same(await store.row('a'), undefined, 'the row');
  },

  async 'a row that is created again has nothing of the one before'(store) {
    await store.done(put('a', { data: 'text', fields: { one: '1' }, expiresInMs: 60_000, groups: [{ name: 'g' }] }));
    const before = rowIn(await store.row('a'));
    await store.done({ op: 'delete', key: 'a' });
    await store.done(put('a'));
    const after = rowIn(await store.row('a'));
    same([after.data, after.fields, after.expiresAt], [undefined, {}, undefined], 'text, fields and expiry');
    check(after.number > before.number, 'it has a number of its own');
    same(await store.keys('g'), [], 'its group');
  },

  async 'partitions are apart'(store) {
    const { driver } = store;
    const names = [
      ['p', 'a:b'],
      ['p:a', 'b'],
      ['', 'p:a:b'],
      ['{p}', 'a:b'],
      ['P', 'a:b'],
      ['p ', 'a:b'],
    ] as const;
    for (const [at, [partition, key]] of names.entries())
      await driver.run(partition, [put(key, { when: 'absent', data: `${at}`, groups: [{ name: 'g', max: 1 }] })]);
    for (const [at, [partition, key]] of names.entries()) {
      const ran = await driver.run(partition, [
        { op: 'get', key },
        { op: 'list', group: 'g', max: 10 },
      ]);
      const [row, rows] = (ran.failed === undefined ? ran.results : []) as [Row?, Row[]?];
      same([row?.data, rows?.length], [`${at}`, 1], `the row ${key} of the partition '${partition}'`);
    }
  },

  async 'a run has up to 64 ops, and a longer one is an error that changes nothing'(store) {
    const ops = Array.from({ length: maxOps }, (_, at) => put(`${at}`));
    same((await store.done(...ops)).length, maxOps, 'the number of results');
    const error = await store.run(...ops.map(({ key }) => put(`${key} more`)), put('last')).catch((cause) => cause);
    check(error instanceof Error, 'a run of 65 ops is an error');
    same(await store.row('0 more'), undefined, 'the row of the longer run');
  },

  async 'a run without ops has no results'(store) {
    same(await store.done(), [], 'the results');
  },

  async 'a run may ask for the process or the disk'(store) {
    for (const sync of ['process', 'disk'] as const)
      same((await store.driver.run('p', [put('a')], sync)).failed, undefined, `a run with '${sync}'`);
  },

  async 'it has a name, a durability and an epoch that stays'(store) {
    const { name, durability, epoch } = store.driver;
    check(name !== '', 'the driver has a name');
    check(['memory', 'process', 'disk', 'unknown'].includes(durability), 'its durability is one of the four');
    check(
      store.under.other === undefined || name !== 'memory',
      "a driver with other connections is not called 'memory'",
    );
    await store.done(put('a'));
    await store.other.run('p', [put('a')]);
    same([store.driver.epoch, store.other.epoch], [epoch, epoch], 'the epoch on both connections');
  },

  async 'the epoch changes when the contents are lost'(store) {
    if (store.under.lose === undefined) return;
    const { epoch } = store.driver;
    await store.done(put('a', { alias: 'x', groups: [{ name: 'g' }], due: [{ queue: 'q', inMs: 0 }] }));
    await store.under.lose();
    same(await store.row('a'), undefined, 'the row after the loss');
    same([await store.keys('g'), await store.takeKeys()], [[], []], 'its group and its queue');
    check(store.driver.epoch !== epoch, 'the epoch has changed');
  },
};
