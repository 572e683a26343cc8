/** Groups: their order, and what happens beyond their limits. */
import type { PutOp, Ran, Row } from '../../driver.ts';
import { same } from '../check.ts';
import { type Cases, put, type TestedStore } from '../tested-store.ts';

const oldest = 'delete-oldest' as const;

const textsOf = async (store: TestedStore, keys: string): Promise<readonly (string | undefined)[]> =>
  (await store.done(...[...keys].map((key) => ({ op: 'get', key }) as const))).map(
    (row) => (row as Row | undefined)?.data,
  );

export const groupCases: Cases = {
  async 'rows are listed in the order of their creation, whatever was put later'(store) {
    const groups = [{ name: 'g' }];
    for (const key of ['c', 'a', 'd', 'b']) await store.done(put(key, { groups, data: key }));
    await store.done(put('c', { data: 'later' }), put('late', { groups: [] }), put('a', { groups }));
    same(await store.keys('g'), ['c', 'a', 'd', 'b'], 'the keys');
    await store.done(put('late', { groups }), put('x', { groups }));
    same(await store.keys('g'), ['c', 'a', 'd', 'b', 'late', 'x'], 'the keys');
    const [rows] = await store.done({ op: 'list', group: 'g', max: 1 });
    same(rows, [await store.row('c')], 'the rows, which have text and fields');
    same(await store.keys('none'), [], 'the keys of a group without rows');
  },

  async 'a row that joins later is listed by when it was created'(store) {
    const groups = [{ name: 'g' }];
    await store.done(put('a'), put('b', { groups }), put('c', { groups }));
    await store.done(put('a', { groups }));
    same(await store.keys('g'), ['a', 'b', 'c'], 'the keys');
  },

  async 'list returns at most max rows, after a number'(store) {
    const groups = [{ name: 'g' }];
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) await store.done(put(key, { groups }));
    const found: string[] = [];
    let after: number | undefined;
    for (let page = 0; page < keys.length; page++) {
      const list = { op: 'list', group: 'g', max: 2, ...(after !== undefined && { after }) } as const;
      const [rows] = (await store.done(list)) as [readonly Row[]];
      if (rows.length === 0) break;
      found.push(rows.map(({ key }) => key).join(''));
      after = rows.at(-1)?.number;
    }
    same(found, ['ab', 'cd', 'e'], 'the pages');
  },

  async 'groups of a put replace those before, and a put without groups leaves them'(store) {
    await store.done(put('a', { groups: [{ name: 'g' }, { name: 'h' }] }));
    await store.done(put('a', { data: 'text' }));
    same([await store.keys('g'), await store.keys('h')], [['a'], ['a']], 'the groups');
    await store.done(put('a', { groups: [{ name: 'h' }, { name: 'i' }] }));
    same([await store.keys('g'), await store.keys('h'), await store.keys('i')], [[], ['a'], ['a']], 'the groups');
    await store.done(put('a', { groups: [] }));
    same([await store.keys('h'), await store.keys('i')], [[], []], 'the groups');
  },

  async 'a row beyond max fails the run with the name of the group'(store) {
    const groups = [
      { name: 'other', max: 9 },
      { name: 'g', max: 2 },
    ];
    await store.done(put('a', { groups }));
    await store.done(put('b', { groups }));
    const failed = await store.refused('full', put('n'), put('c', { groups }));
    same([failed.failed, failed.group], [1, 'g'], 'the index and the group');
    same(await store.keys('other'), ['a', 'b'], 'the group with room');
  },

  async 'a member is not counted again'(store) {
    const groups = [{ name: 'g', max: 1 }];
    await store.done(put('a', { groups }));
    await store.done(put('a', { groups, data: 'text' }));
    await store.done(put('a'));
    await store.refused('full', put('b', { groups }));
  },

  async 'a row that is deleted, or leaves, makes room'(store) {
    const groups = [{ name: 'g', max: 1 }];
    await store.done(put('a', { groups }));
    await store.done({ op: 'delete', key: 'a' });
    await store.done(put('b', { groups }));
    await store.done(put('b', { groups: [] }));
    await store.done(put('c', { groups }));
    await store.refused('full', put('b', { groups }));
  },

  async 'a max that was lowered refuses new rows, and leaves those that are there'(store) {
    for (const key of ['a', 'b', 'c']) await store.done(put(key, { groups: [{ name: 'g', max: 3 }] }));
    await store.refused('full', put('d', { groups: [{ name: 'g', max: 2 }] }));
    await store.done(put('a', { groups: [{ name: 'g', max: 2 }] }));
    same(await store.keys('g'), ['a', 'b', 'c'], 'the keys');
  },

  async 'delete-oldest deletes the rows that were created first'(store) {
    const groups = [{ name: 'g', max: 2, beyond: oldest }, { name: 'all' }];
    await store.done(put('a', { groups, alias: 'x', due: [{ queue: 'q', inMs: 0 }] }));
    await store.done(put('b', { groups }));
    await store.done(put('a', { data: 'put later' }));
    await store.done(put('c', { groups }));
    same(await store.keys('g'), ['b', 'c'], 'the keys');
    same([await store.row('a'), await store.keys('all')], [undefined, ['b', 'c']], 'the row, and its other group');
    same(await store.takeKeys(), [], 'its queue');
    await store.done(put('d', { groups: [{ name: 'g', max: 1, beyond: oldest }], alias: 'x' }));
    same(await store.keys('g'), ['d'], 'the keys with a lower max');
  },

  async 'delete-oldest deletes the logs of the rows'(store) {
    const groups = [{ name: 'g', max: 1, beyond: oldest }];
    await store.done(put('a', { groups }), { op: 'append', row: 'a', log: 'log', entries: [{ data: '1', chars: 1 }] });
    await store.done(put('b', { groups }));
    same(await store.log('a', 'log'), undefined, 'the log');
  },

  async 'rows of one run are counted one after the other where the oldest are deleted'(store) {
    const groups = [{ name: 'g', max: 2, beyond: oldest }];
    await store.done(put('a', { groups }), put('b', { groups }), put('c', { groups }), put('d', { groups }));
    same(await store.keys('g'), ['c', 'd'], 'the keys');
  },

  async 'beyond maxChars the rows that were put first lose their text, and stay'(store) {
    const groups = [{ name: 'g', maxChars: 10 }];
    for (const key of ['a', 'b']) {
      await store.done(put(key, { groups, data: key.repeat(5), fields: { one: '1' } }));
      await store.advance(1);
    }
    same(await textsOf(store, 'ab'), ['aaaaa', 'bbbbb'], 'the texts of ten characters');
    const before = await store.row('a');
    await store.done(put('c', { groups, data: 'c' }));
    same(await textsOf(store, 'abc'), [undefined, 'bbbbb', 'c'], 'the texts');
    same(await store.row('a'), { ...before, data: undefined }, 'the row that lost its text');
    same(await store.keys('g'), ['a', 'b', 'c'], 'the rows of the group');
    await store.advance(1);
    await store.done(put('d', { groups, data: 'd'.repeat(11) }));
    same(await textsOf(store, 'abcd'), [undefined, undefined, undefined, 'd'.repeat(11)], 'the texts');
  },

  async 'a text that is put again counts as it is now'(store) {
    const groups = [{ name: 'g', maxChars: 10 }];
    await store.done(put('a', { groups, data: 'aaaaa' }));
    await store.advance(1);
    await store.done(put('b', { groups, data: 'bbbbbbbbb' }));
    same(await textsOf(store, 'ab'), [undefined, 'bbbbbbbbb'], 'the texts');
    await store.advance(1);
    await store.done(put('b', { groups, data: 'b' }));
    await store.advance(1);
    await store.done(put('a', { groups, data: 'aaaaaaaaa' }));
    same(await textsOf(store, 'ab'), ['aaaaaaaaa', 'b'], 'the texts of ten characters');
    await store.advance(1);
    await store.done({ op: 'delete', key: 'b' }, put('c', { groups, data: 'c' }));
    same(await textsOf(store, 'ac'), ['aaaaaaaaa', 'c'], 'the texts after a delete');
  },

  async 'a text counts as chars, or as its length in JavaScript'(store) {
    const groups = [{ name: 'g', maxChars: 10 }];
    await store.done(put('a', { groups, data: 'a'.repeat(50), chars: 5 }));
    await store.advance(1);
    await store.done(put('b', { groups, data: 'b', chars: 5 }));
    same(
      (await textsOf(store, 'ab')).map((text) => text?.length),
      [50, 1],
      'the texts that count as five each',
    );
    await store.advance(1);
    await store.done(put('c', { groups, data: 'c', chars: 6 }));
    same(await textsOf(store, 'abc'), [undefined, undefined, 'c'], 'the texts');
    const emoji = [{ name: 'emoji', maxChars: 3 }];
    await store.done(put('d', { groups: emoji, data: '😀' }));
    await store.advance(1);
    await store.done(put('e', { groups: emoji, data: '😀' }));
    same(await textsOf(store, 'de'), [undefined, '😀'], 'the emoji, which have a length of 2');
  },

  async 'below refuses a put once a group has as many characters, and changes nothing'(store) {
    const [groups, below] = [[{ name: 'g' }], [{ group: 'g', chars: 10 }]];
    await store.done(put('a', { groups, data: 'a'.repeat(5), below }));
    await store.done(put('b', { groups, data: 'b', chars: 4, below }));
    await store.done(put('c', { data: 'of no group', below }));
    await store.done(put('b', { data: 'b', chars: 5, below }));
    const { group } = await store.refused('full', put('d', { groups: [{ name: 'other' }], data: 'd', below }));
    same(group, 'g', 'the group');
    await store.refused('full', put('a', { data: 'member', below }));
    same(
      [await textsOf(store, 'abcd'), await store.keys('other')],
      [['aaaaa', 'b', 'of no group', undefined], []],
      'the rows',
    );
    await store.done(
      put('d', { below: [{ group: 'g', chars: 11 }] }),
      put('e', { below: [{ group: 'none', chars: 1 }] }),
    );
  },

  async 'below counts what a group has now: rows that shrink, leave, are deleted or expire are not counted'(store) {
    const [groups, below] = [[{ name: 'g' }], [{ group: 'g', chars: 10 }]];
    const tried = (): Promise<Ran> => store.run(put('x', { below }));
    const fill = (key: string, more: Partial<PutOp> = {}): Promise<unknown> =>
      store.done(put(key, { groups, data: 'text', chars: 10, ...more }));
    const why: (string | undefined)[] = [];
    const look = async (): Promise<void> => {
      const ran = await tried();
      why.push(ran.failed === undefined ? undefined : ran.why);
    };
    await fill('a');
    await look();
    await store.done(put('a', { data: 'text', chars: 9 }));
    await look();
    await store.done(put('a', { data: 'text', chars: 10 }));
    await look();
    await store.done(put('a', { groups: [] }));
    await look();
    await fill('b');
    await look();
    await store.done({ op: 'delete', key: 'b' });
    await look();
    await fill('c', { expiresInMs: 1000 });
    await look();
    await store.advance(1000);
    await look();
    same(why, ['full', undefined, 'full', undefined, 'full', undefined, 'full', undefined], 'why puts failed');
  },

  async 'a group of a partition is counted in its partition'(store) {
    const groups = [{ name: 'g', max: 1 }];
    await store.done(put('a', { groups }));
    const ran = await store.driver.run('other', [put('b', { groups }), { op: 'list', group: 'g', max: 9 }]);
    same(ran.failed === undefined && (ran.results[1] as readonly Row[]).length, 1, 'the rows of the other partition');
  },

  async 'a group over the store counts rows of all partitions, where the engine can'(store) {
    const groups = [{ name: 'g', max: 2, scope: 'store' as const }];
    const ran: (string | undefined)[] = [];
    for (const partition of ['p', 'q', 'r']) {
      const one = await store.driver.run(partition, [put('a', { groups, data: 'text' })]);
      ran.push(one.failed === undefined ? undefined : one.why);
    }
    // One that cannot ignores the group.
    if (ran[2] === undefined) return;
    same(ran, [undefined, undefined, 'full'], 'the runs in three partitions');
    const again = await store.driver.run('q', [put('a', { groups })]);
    same(again.failed, undefined, 'a member');
    await store.driver.run('q', [{ op: 'delete', key: 'a' }]);
    same((await store.driver.run('r', [put('a', { groups })])).failed, undefined, 'a put after a delete');
  },

  async 'a group of a partition and one of the store with the same name are two'(store) {
    await store.done(put('a', { groups: [{ name: 'g', max: 1, scope: 'store' }] }));
    await store.done(put('b', { groups: [{ name: 'g', max: 1 }] }));
    same(await store.keys('g'), ['b'], 'the rows of the group of the partition');
  },
};
