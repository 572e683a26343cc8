/** Logs: what is appended, refused, stored and read. */
import type { Log } from '../../driver.ts';
import { check, same } from '../check.ts';
import { append, type Cases, entry, logIn, put } from '../tested-store.ts';

export const logCases: Cases = {
  async 'a log begins with its first entries'(store) {
    same(await store.log('a', 'log'), undefined, 'a log that has not begun');
    const [began] = await store.done(append('a', 'log', ['one', 'three']));
    const log = {
      name: 'log',
      count: 2,
      stored: 2,
      last: 2,
      chars: 8,
      ended: 0,
      isFollowed: false,
      given: 0,
      rowChars: 8,
      rowLogs: 1,
    };
    same({ ...logIn(began), storeChars: undefined }, log, 'the log');
    const read = await store.log('a', 'log');
    const entries = [
      { n: 1, data: 'one' },
      { n: 2, data: 'three' },
    ];
    same({ ...read, storeChars: undefined }, { ...log, entries }, 'the log with its entries');
  },

  async 'append without entries fails with absent where there is no log'(store) {
    const failed = await store.refused('absent', put('n'), append('a', 'log', []));
    same([failed.failed, failed.log], [1, undefined], 'the index and the log');
    await store.refused('absent', append('a', 'log', [], { end: true }));
    await store.done(append('a', 'log', ['1']));
    const [log] = await store.done(append('a', 'log', []));
    same(logIn(log).count, 1, 'the count of a log that exists');
  },

  async 'entries are read after a number, and the largest is remembered'(store) {
    await store.done(append('a', 'log', ['1', '2', '3']));
    const texts = (log: Log | undefined): readonly unknown[] => [log?.given, ...(log?.entries ?? []).map(({ n }) => n)];
    same(texts(await store.log('a', 'log', 2)), [2, 3], 'given and the entries after 2');
    same(texts(await store.log('a', 'log', 0)), [2, 1, 2, 3], 'given and the entries after 0');
    same(texts(await store.log('a', 'log', 3)), [3], 'given and the entries after 3');
    same(texts(await store.log('a', 'log', 100)), [3], 'given and the entries after 100');
    same(logIn((await store.done(append('a', 'log', ['4'])))[0]).given, 3, 'given of a later append');
  },

  async 'an entry counts as the chars that are passed'(store) {
    const [log] = await store.done({ op: 'append', row: 'a', log: 'log', entries: [entry('text', 100), entry('', 0)] });
    same([logIn(log).chars, logIn(log).stored], [100, 2], 'the characters and the stored entries');
    same(await store.texts('a', 'log'), ['text', ''], 'the texts');
  },

  async 'an entry without text is counted, and not stored'(store) {
    const none = { chars: 0 };
    const [began] = await store.done({ op: 'append', row: 'a', log: 'log', entries: [none] });
    const { count, stored, last, chars } = logIn(began);
    same([count, stored, last, chars], [1, 0, 0, 0], 'count, stored, last and chars');
    same(await store.texts('a', 'log'), [], 'the stored texts');
    const [log] = await store.done(append('a', 'log', ['2', '3']));
    same([logIn(log).count, logIn(log).stored, logIn(log).last], [3, 2, 3], 'count, stored and last');
  },

  async 'after an entry without text, the next with text deletes what was stored before'(store) {
    await store.done(append('a', 'log', ['1', '2']));
    const [gap] = await store.done({ op: 'append', row: 'a', log: 'log', entries: [{ chars: 0 }] });
    same([logIn(gap).count, logIn(gap).stored, logIn(gap).last], [3, 2, 2], 'count, stored and last');
    same(await store.texts('a', 'log'), ['1', '2'], 'the texts before the next');
    const [log] = await store.done(append('a', 'log', ['4']));
    const { count, stored, last, chars, rowChars } = logIn(log);
    same([count, stored, last, chars, rowChars], [4, 1, 4, 1, 1], 'count, stored, last and characters');
    same((await store.log('a', 'log'))?.entries, [{ n: 4, data: '4' }], 'the entries after it');
    const entries = [entry('5'), { chars: 0 }, entry('7'), entry('8')];
    await store.done({ op: 'append', row: 'a', log: 'log', entries });
    same(
      (await store.log('a', 'log'))?.entries?.map(({ n }) => n),
      [7, 8],
      'the numbers after a gap in one op',
    );
  },

  async 'at is the number of the first entry: repeated or with a gap it is refused'(store) {
    await store.refused('gap', append('a', 'log', ['2'], { at: 2 }));
    await store.done(append('a', 'log', ['1', '2'], { at: 1 }));
    const repeated = await store.refused('repeated', append('a', 'log', ['2'], { at: 2 }));
    same([repeated.log?.count, repeated.log?.name], [2, 'log'], 'the log that was found');
    await store.refused('repeated', append('a', 'log', ['1'], { at: 1 }));
    await store.refused('gap', append('a', 'log', ['4'], { at: 4 }));
    await store.done(append('a', 'log', ['3'], { at: 3 }));
    same(await store.texts('a', 'log'), ['1', '2', '3'], 'the texts');
  },

  async 'at counts entries that are not stored'(store) {
    await store.done({ op: 'append', row: 'a', log: 'log', entries: [{ chars: 0 }] });
    await store.refused('repeated', append('a', 'log', ['1'], { at: 1 }));
    await store.done(append('a', 'log', ['2'], { at: 2 }));
  },

  async 'a mark must be larger than the last one of the log'(store) {
    await store.done(append('a', 'log', ['1']));
    await store.done(append('a', 'log', ['2'], { mark: 5 }));
    const failed = await store.refused('mark', append('a', 'log', ['3'], { mark: 5 }));
    same(failed.log?.mark, 5, 'the mark of the log that was found');
    await store.refused('mark', append('a', 'log', ['3'], { mark: 4 }));
    await store.done(append('a', 'log', ['3']));
    same((await store.log('a', 'log'))?.mark, 5, 'the mark after an append without one');
    await store.done(append('a', 'log', ['4'], { mark: 1_700_000_000_000 }));
    await store.done(append('a', 'other', ['1'], { mark: 1 }));
    same((await store.log('a', 'log'))?.mark, 1_700_000_000_000, 'the mark');
  },

  async 'a note is stored when the log begins'(store) {
    await store.done(append('a', 'log', ['1'], { note: 'first' }));
    await store.done(append('a', 'log', ['2'], { note: 'second' }));
    same((await store.log('a', 'log'))?.note, 'first', 'the note');
    await store.done(append('a', 'plain', ['1']));
    await store.done(append('a', 'plain', ['2'], { note: 'late' }));
    same((await store.log('a', 'plain'))?.note, undefined, 'the note of a log that began without one');
  },

  async 'isFollowed is stored, and stays when it is not passed'(store) {
    const isFollowed = async (): Promise<boolean | undefined> => (await store.log('a', 'log'))?.isFollowed;
    await store.done(append('a', 'log', ['1'], { isFollowed: true }));
    await store.done(append('a', 'log', ['2']));
    same(await isFollowed(), true, 'isFollowed');
    await store.done(append('a', 'log', [], { isFollowed: false }));
    same(await isFollowed(), false, 'isFollowed');
  },

  async 'a log that has ended takes no more entries, and is still read'(store) {
    const [ended] = await store.done(append('a', 'log', ['1'], { end: true }));
    check(logIn(ended).ended > 0, 'the log has ended');
    const failed = await store.refused('ended', append('a', 'log', ['2']));
    same([failed.log?.count, failed.log?.ended], [1, logIn(ended).ended], 'the log that was found');
    await store.refused('ended', append('a', 'log', []));
    same(await store.texts('a', 'log'), ['1'], 'its texts');
  },

  async 'an open log ends without entries, and the later it ends the larger is ended'(store) {
    await store.done(append('a', 'one', ['1']), append('a', 'two', ['1']), append('a', 'three', ['1']));
    const [two] = await store.done(append('a', 'two', [], { end: true }));
    const [one] = await store.done(append('a', 'one', [], { end: true }));
    check(logIn(one).ended > logIn(two).ended, 'the log that ended later has a larger number');
    same((await store.log('a', 'three'))?.ended, 0, 'ended of an open log');
  },

  async 'an append makes room: logs that have ended go, the first to end first, never its own'(store) {
    const names = async (): Promise<readonly string[]> => {
      const [logs] = (await store.done({ op: 'logs', row: 'a' })) as [readonly Log[]];
      return logs.map(({ name }) => name);
    };
    for (const name of ['open', 'b', 'c', 'd']) await store.done(append('a', name, ['xxxxx']));
    await store.done(append('a', 'c', [], { end: true }));
    await store.done(append('a', 'b', [], { end: true }), append('a', 'd', [], { end: true }));
    await store.done(append('a', 'open', ['x'], { room: { maxLogs: 4, maxChars: 21 } }));
    same(await names(), ['open', 'b', 'c', 'd'], 'the logs within the limits');
    const [log] = await store.done(append('a', 'open', ['x'], { room: { maxLogs: 4, maxChars: 21 } }));
    same(await names(), ['open', 'b', 'd'], 'the logs with too many characters');
    same([logIn(log).rowChars, logIn(log).rowLogs], [17, 3], 'what the append returns');
    await store.done(append('a', 'open', ['x'], { room: { maxLogs: 2, maxChars: 99 } }));
    same(await names(), ['open', 'd'], 'the logs with too many of them');
    await store.done(append('a', 'last', ['x'], { end: true, room: { maxLogs: 0, maxChars: 0 } }));
    same(await names(), ['open', 'last'], 'the logs that stay without any room');
  },

  async 'logs of a row are listed in the order in which they began'(store) {
    await store.done(append('a', 'c', ['1']), append('a', 'a', ['22']));
    await store.done(append('a', 'b', ['333']), append('other', 'd', ['1']));
    await store.done(append('a', 'c', ['1']));
    const [logs] = (await store.done({ op: 'logs', row: 'a' })) as [readonly Log[]];
    same(
      logs.map(({ name }) => name),
      ['c', 'a', 'b'],
      'the names',
    );
    same(
      logs.map(({ chars }) => chars),
      [2, 2, 3],
      'their characters',
    );
    for (const log of logs)
      same([log.rowChars, log.rowLogs, log.entries], [7, 3, undefined], 'characters and number of all logs');
    same(await store.done({ op: 'logs', row: 'none' }), [[]], 'the logs of a row that has none');
  },

  async 'logs of a row go with it'(store) {
    await store.done(put('a'), append('a', 'log', ['1'], { mark: 9, note: 'note', end: true }));
    await store.done(append('b', 'log', ['1']));
    await store.done({ op: 'delete', key: 'a' });
    same(await store.log('a', 'log'), undefined, 'the log');
    same(await store.done({ op: 'logs', row: 'a' }), [[]], 'the logs');
    const [log] = await store.done(append('a', 'log', ['new'], { at: 1, mark: 1 }));
    const { count, mark, note, given, rowLogs } = logIn(log);
    same([count, mark, note, given, rowLogs], [1, 1, undefined, 0, 1], 'the log that began anew');
    same(await store.texts('b', 'log'), ['1'], 'the log of the other row');
  },

  async 'logs with the same name in other rows and partitions are others'(store) {
    await store.done(append('a', 'log', ['1']), append('b', 'log', ['2']));
    await store.driver.run('other', [append('a', 'log', ['3'])]);
    same([await store.texts('a', 'log'), await store.texts('b', 'log')], [['1'], ['2']], 'the texts');
  },

  async 'storeChars, where it is known, grows with logs that have a share and shrinks with them'(store) {
    const share = { share: 'ann' };
    const [first] = await store.done(
      append('a', 'log', ['x'.repeat(100)], share),
      append('a', 'none', ['x'.repeat(100)]),
    );
    const { storeChars } = logIn(first);
    check((storeChars === undefined) === (store.driver.shrinkLogs === undefined), 'storeChars goes with shrinkLogs');
    check((store.driver.logShares === undefined) === (storeChars === undefined), 'storeChars goes with logShares');
    if (storeChars === undefined) return;
    check(storeChars >= 100, 'storeChars has all characters');
    await store.done({ op: 'trim', row: 'a', steps: [{ log: 'none', above: 0, delete: true }] });
    same((await store.log('a', 'log'))?.storeChars, storeChars, 'storeChars after a log without a share was deleted');
    await store.driver.run('other', [put('b'), append('b', 'log', ['x'.repeat(1000)], share)]);
    const grown = (await store.log('a', 'log'))?.storeChars as number;
    check(grown >= storeChars + 1000, 'storeChars grows with logs of other partitions');
    await store.driver.run('other', [{ op: 'delete', key: 'b' }]);
    same((await store.log('a', 'log'))?.storeChars, storeChars, 'storeChars after the other row was deleted');
  },
};
