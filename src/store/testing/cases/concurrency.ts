/** Runs and takes at the same time, on two connections. */
import type { Ran, StoreDriver } from '../../driver.ts';
import { check, same } from '../check.ts';
import { append, type Cases, newVersion, put, rowIn, type TestedStore, takeRequest } from '../tested-store.ts';

/** Calls both connections in turn, without waiting between. */
const atOnce = <T>(store: TestedStore, count: number, call: (driver: StoreDriver, at: number) => T) =>
  Promise.all(Array.from({ length: count }, (_, at) => call(at % 2 === 0 ? store.driver : store.other, at)));

const doneOf = (runs: readonly Ran[]): number => runs.filter(({ failed }) => failed === undefined).length;

export const concurrencyCases: Cases = {
  async 'of many puts that need an absent row, one is done'(store) {
    const runs = await atOnce(store, 40, (driver, at) =>
      driver.run('p', [put('a', { when: 'absent', data: `${at}` }), append('a', 'log', [`${at}`])]),
    );
    same(doneOf(runs), 1, 'how many runs were done');
    const winner = runs.findIndex(({ failed }) => failed === undefined);
    same([(await store.row('a'))?.data, await store.texts('a', 'log')], [`${winner}`, [`${winner}`]], 'row and log');
  },

  async 'of writers that need the version they read, none overwrites another'(store) {
    await store.done(put('a', { data: '0' }));
    const count = 24;
    await atOnce(store, count, async (driver) => {
      // Each round at least one of them succeeds.
      for (let round = 0; round < count; round++) {
        const read = await driver.run('p', [{ op: 'get', key: 'a' }]);
        const row = rowIn(read.failed === undefined ? read.results[0] : undefined);
        const next = put('a', { when: { version: row.version }, data: `${Number(row.data) + 1}` });
        if ((await driver.run('p', [next])).failed === undefined) return;
      }
      throw new Error('Expected: of several writers one succeeds.');
    });
    same((await store.row('a'))?.data, `${count}`, 'what was counted');
  },

  async 'a group never has more rows than max'(store) {
    const groups = [{ name: 'g', max: 5 }];
    const runs = await atOnce(store, 30, (driver, at) => driver.run('p', [put(`${at}`, { groups })]));
    same([doneOf(runs), (await store.keys('g')).length], [5, 5], 'how many puts were done');
  },

  async 'an alias has one row'(store) {
    const runs = await atOnce(store, 30, (driver, at) => driver.run('p', [put(`${at}`, { alias: 'x' })]));
    same(doneOf(runs), 1, 'how many puts were done');
  },

  async 'no more tokens are taken than there are'(store) {
    const runs = await atOnce(store, 30, (driver) =>
      driver.run('p', [{ op: 'tokens', key: 'a', costMs: 1000, fullMs: 10_000 }]),
    );
    same(doneOf(runs), 10, 'how many runs were done');
  },

  async 'entries of a log have their own numbers'(store) {
    const count = 30;
    await atOnce(store, count, (driver, at) => driver.run('p', [append('a', 'log', [`${at}`])]));
    const log = await store.log('a', 'log');
    same(
      log?.entries?.map(({ n }) => n),
      Array.from({ length: count }, (_, at) => at + 1),
      'the numbers',
    );
    same(new Set(log?.entries?.map(({ data }) => data)).size, count, 'how many texts there are');
    const runs = await atOnce(store, 10, (driver) => driver.run('p', [append('a', 'log', ['x'], { at: count + 1 })]));
    same(doneOf(runs), 1, 'how many entries got the same number');
  },

  async 'two takers never get the same row'(store) {
    const count = 30;
    const lane = (at: number) => [{ queue: 'q', inMs: 0, lane: `${at % 3}` }];
    await store.done(...Array.from({ length: count }, (_, at) => put(`${at}`, { due: lane(at) })));
    const holders = new Map<string, string>();
    const rounds = await atOnce(store, 20, async (driver) => {
      const holder = newVersion();
      const taken = await driver.take(takeRequest({ max: 3, holder }));
      for (const { row } of taken) holders.set(row.key, holder);
      return taken.map(({ row }) => row.key);
    });
    const keys = rounds.flat();
    same([keys.length, new Set(keys).size], [count, count], 'how many rows were taken, and how many of them differ');
    for (const [key, holder] of holders) same((await store.row(key))?.version, holder, 'the version of a taken row');
  },

  async 'a row is taken or put, never half of each'(store) {
    for (let round = 0; round < 10; round++) {
      const key = `${round}`;
      await store.done(put(key, { version: `${key} old`, due: [{ queue: 'q', inMs: 0 }] }));
      const [taken, ran] = await Promise.all([
        store.driver.take(takeRequest({ holder: `${key} holder` })),
        store.other.run('p', [put(key, { when: { version: `${key} old` }, due: [{ queue: 'q', inMs: undefined }] })]),
      ]);
      check((taken.length === 1) !== (ran.failed === undefined), `one of both has the row (${taken.length})`);
      await store.done({ op: 'delete', key });
    }
  },

  async 'a reader sees all of a run or nothing'(store) {
    const writes = atOnce(store, 20, (driver, at) =>
      driver.run('p', [put('a', { data: `${at}` }), put('b', { data: `${at}` })]),
    );
    const reads = await atOnce(store, 20, (driver) =>
      driver.run('p', [
        { op: 'get', key: 'a' },
        { op: 'get', key: 'b' },
      ]),
    );
    await writes;
    for (const ran of reads) {
      const [a, b] = (ran.failed === undefined ? ran.results : []) as readonly ({ data?: string } | undefined)[];
      same(a?.data, b?.data, 'the texts of both rows');
    }
  },

  async 'rows of many runs have numbers of their own'(store) {
    const groups = [{ name: 'g' }];
    const runs = await atOnce(store, 30, (driver, at) => driver.run('p', [put(`${at}`, { groups })]));
    const numbers = runs.map((ran) => rowIn(ran.failed === undefined ? ran.results[0] : undefined).number);
    same(new Set(numbers).size, 30, 'how many numbers differ');
    same((await store.keys('g')).length, 30, 'how many rows are listed');
  },
};
