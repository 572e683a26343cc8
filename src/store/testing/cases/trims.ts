/** Making room in logs: steps of `trim`, and shares. */
import type { LogShare, TrimStep } from '../../driver.ts';
import { same } from '../check.ts';
import { append, type Cases, logIn, put, type TestedStore } from '../tested-store.ts';

const ten = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${at}`.padEnd(10, '.'));

/** How many entries logs of the row `a` have stored; `undefined` for one that does not exist. */
async function stored(store: TestedStore, ...logs: readonly string[]): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for (const log of logs) found.push((await store.log('a', log))?.stored);
  return found;
}

/** Shrinks the shares while a log of the row `a` is in use. */
async function shrunk(store: TestedStore, maxChars: number, shares: readonly LogShare[], log: string): Promise<void> {
  await store.driver.shrinkLogs?.(maxChars, shares, { partition: 'p', row: 'a', log });
}

/** The characters of each share. */
const sharesOf = async (store: TestedStore): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(((await store.driver.logShares?.()) ?? []).map(({ share, chars }) => [share, chars]));

const trim = (...steps: readonly TrimStep[]) => ({ op: 'trim', row: 'a', steps }) as const;

export const trimCases: Cases = {
  async 'trim of all deletes the logs of the row, and of no other'(store) {
    await store.done(put('a', { data: 'text' }), append('a', 'one', ['1'], { mark: 5 }), append('a', 'two', ['2']));
    await store.done(append('b', 'log', ['1']));
    same(await store.done({ op: 'trim', row: 'a', steps: 'all' }), [undefined], 'the result');
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs');
    same([(await store.row('a'))?.data, await store.texts('b', 'log')], ['text', ['1']], 'the row, and the other log');
    const [log] = await store.done(append('a', 'one', ['new'], { at: 1, mark: 1 }));
    same([logIn(log).count, logIn(log).rowChars, logIn(log).rowLogs], [1, 3, 1], 'a log that begins anew');
  },

  async 'a step is skipped unless the logs of the row have more characters than above'(store) {
    await store.done(append('a', 'one', ten(3)), append('a', 'two', ten(3)));
    await store.done(trim({ log: 'one', above: 60, delete: true }));
    await store.done(trim({ log: 'one', above: 60, target: 0, least: 0, spare: 0 }));
    same(await stored(store, 'one', 'two'), [3, 3], 'the stored entries');
    await store.done(trim({ log: 'one', above: 59, delete: true }));
    same(await stored(store, 'one', 'two'), [undefined, 3], 'the stored entries');
  },

  async 'steps are done one after the other, each with the characters that are left'(store) {
    await store.done(append('a', 'one', ten(2)), append('a', 'two', ten(2)), append('a', 'three', ten(2)));
    await store.done(
      trim(
        { log: 'none', above: 0, delete: true },
        { log: 'two', above: 50, delete: true },
        { log: 'three', above: 40, delete: true },
        { log: 'one', above: 39, target: 30, least: 0, spare: 0 },
      ),
    );
    same(await stored(store, 'one', 'two', 'three'), [1, undefined, 2], 'the stored entries');
  },

  async 'the oldest entries go until all logs have the target'(store) {
    await store.done(append('a', 'one', ten(5)), append('a', 'two', ten(5)));
    await store.done(trim({ log: 'one', above: 99, target: 75, least: 0, spare: 0 }));
    const one = await store.log('a', 'one');
    same(
      one?.entries?.map(({ n }) => n),
      [4, 5],
      'the numbers of the entries',
    );
    const { count, stored: left, last, chars, rowChars, rowLogs } = logIn(one);
    same([count, left, last, chars, rowChars, rowLogs], [5, 2, 5, 20, 70, 2], 'what is known of the log');
    await store.done(append('a', 'one', ['6'], { at: 6 }));
    same(
      (await store.log('a', 'one', 4))?.entries?.map(({ n }) => n),
      [5, 6],
      'the entries after 4',
    );
  },

  async 'a log loses no more than to have least characters'(store) {
    await store.done(append('a', 'one', ten(5)), append('a', 'two', ten(5)));
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 25, spare: 0 }));
    same(await stored(store, 'one', 'two'), [2, 5], 'the stored entries');
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 20, spare: 0 }));
    same(await stored(store, 'one', 'two'), [2, 5], 'the stored entries, where it has least already');
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 0, spare: 0 }));
    same(await stored(store, 'one', 'two'), [0, 5], 'the stored entries with a least of 0');
    const log = logIn(await store.log('a', 'one'));
    same([log.count, log.last, log.chars], [5, 0, 0], 'the log without stored entries');
  },

  async 'the last spare entries of a log stay'(store) {
    await store.done(append('a', 'one', ten(5)));
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 0, spare: 2 }));
    same(
      (await store.log('a', 'one'))?.entries?.map(({ n }) => n),
      [4, 5],
      'the numbers of the entries',
    );
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 0, spare: 1 }));
    same(
      (await store.log('a', 'one'))?.entries?.map(({ n }) => n),
      [5],
      'the numbers of the entries',
    );
    await store.done(trim({ log: 'one', above: 0, target: 0, least: 0, spare: 9 }));
    same(await stored(store, 'one'), [1], 'the stored entries');
  },

  async 'trim of a row without logs does nothing'(store) {
    await store.done(trim({ log: 'one', above: 0, delete: true }), { op: 'trim', row: 'a', steps: 'all' });
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs');
  },

  async 'shrinkLogs deletes entries of logs that have ended, the first to end first'(store) {
    const { shrinkLogs } = store.driver;
    if (shrinkLogs === undefined) return;
    const text = ['x'.repeat(2000)];
    const begun = ['open', 'one', 'two'].map((log) => append('a', log, text, { share: 'ann' }));
    await store.done(...begun);
    await store.done(append('a', 'two', [], { end: true }));
    await store.done(append('a', 'one', [], { end: true }));
    const total = (await store.log('a', 'open'))?.storeChars as number;
    const shrink = (maxChars: number): Promise<void> => shrunk(store, maxChars, [{ share: 'ann', chars: 0 }], 'open');
    await shrink(total);
    same(await stored(store, 'one', 'two', 'open'), [1, 1, 1], 'the stored entries before');
    await shrink(total - 1000);
    same((await stored(store, 'one', 'two', 'open')).map(Boolean), [true, false, true], 'which logs have entries');
    await shrink(total - 4000);
    same((await stored(store, 'one', 'two', 'open')).map(Boolean), [false, false, true], 'which logs have entries');
  },

  async 'shrinkLogs deletes the oldest entries of open logs, and leaves the last of the one in use'(store) {
    if (store.driver.shrinkLogs === undefined) return;
    const text = 'x'.repeat(2000);
    const share = { share: 'ann' };
    await store.done(append('a', 'one', [text, text], share), append('a', 'two', [text, text], share));
    const total = (await store.log('a', 'two'))?.storeChars as number;
    await shrunk(store, total - 1000, [{ share: 'ann', chars: 0 }], 'two');
    same(
      (await store.log('a', 'one'))?.entries?.map(({ n }) => n),
      [2],
      'the entries of the log that is older',
    );
    same(await stored(store, 'two'), [2], 'the stored entries of the log in use');
    await shrunk(store, 0, [{ share: 'ann', chars: 0 }], 'two');
    same((await stored(store, 'one')).map(Boolean), [false], 'whether the other log has entries');
    same(
      (await store.log('a', 'two'))?.entries?.map(({ n }) => n),
      [2],
      'the entries of the log in use',
    );
  },

  async 'shrinkLogs deletes entries of the shares that are named, until each has its size'(store) {
    if (store.driver.shrinkLogs === undefined) return;
    const text = 'x'.repeat(2000);
    for (const share of ['ann', 'bob', 'eve'])
      await store.done(append('a', share, [text, text], { share }), append('a', `${share} 2`, [text], { share }));
    await store.done(append('a', 'none', [text]), append('a', 'bob 2', [], { end: true }));
    const size = (await sharesOf(store)).ann as number;
    const shares = [
      { share: 'unknown', chars: 0 },
      { share: 'bob', chars: size - 3000 },
      { share: 'eve', chars: size - 1000 },
    ];
    await shrunk(store, 0, shares, 'none');
    same(
      (await stored(store, 'ann', 'ann 2', 'bob', 'bob 2', 'eve', 'eve 2', 'none')).map((count) => count ?? 0),
      [2, 1, 1, 0, 1, 1, 1],
      'the stored entries',
    );
    await shrunk(store, 0, [{ share: 'eve', chars: size }], 'none');
    same(await stored(store, 'eve', 'eve 2'), [1, 1], 'the stored entries of a share that has less');
  },

  async 'shrinkLogs stops when all shares have the size of the store'(store) {
    if (store.driver.shrinkLogs === undefined) return;
    const text = 'x'.repeat(2000);
    for (const share of ['ann', 'bob']) await store.done(append('a', share, [text, text], { share }));
    const total = (await store.log('a', 'ann'))?.storeChars as number;
    const all = ['ann', 'bob'].map((share) => ({ share, chars: 0 }));
    await shrunk(store, total - 2000, all, 'none');
    same(await stored(store, 'ann', 'bob'), [1, 2], 'the stored entries');
  },

  async 'logShares has the characters of each share, from the beginning of a log to its end'(store) {
    if (store.driver.logShares === undefined) return;
    same(await sharesOf(store), {}, 'the shares of an empty store');
    const text = 'x'.repeat(2000);
    const [unfit] = ['\u0000\ud800'];
    await store.done(append('a', 'one', [text], { share: 'ann' }), append('a', 'none', [text]));
    await store.driver.run('other', [
      append('b', 'two', [text], { share: 'ann' }),
      append('b', 'other', [text], { share: unfit }),
    ]);
    // The share of a log is that of its first entries.
    const [last] = await store.done(
      append('a', 'one', [text], { share: 'bob' }),
      append('a', 'none', [text], { share: 'bob' }),
    );
    const shares = await sharesOf(store);
    same(Object.keys(shares).sort(), [unfit, 'ann'], 'the names of the shares');
    const [ann = 0, others = 0] = [shares.ann, shares[unfit as string]];
    same(
      [ann >= 6000 && ann < 8000, others >= 2000 && others < 4000],
      [true, true],
      'whether they have their characters',
    );
    same(logIn(last).storeChars, ann + others, 'storeChars');
    await store.driver.run('other', [{ op: 'trim', row: 'b', steps: 'all' }]);
    await store.done({ op: 'trim', row: 'a', steps: 'all' });
    same(await sharesOf(store), {}, 'the shares without logs');
  },
};
