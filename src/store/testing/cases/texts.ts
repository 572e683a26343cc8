/** Texts and names of any characters and length. */
import type { FailedRun, Log, Op, Row } from '../../driver.ts';
import { same } from '../check.ts';
import { append, type Cases, doneOf, put } from '../tested-store.ts';

const texts: readonly string[] = [
  '',
  ' ',
  '😀👨‍👩‍👧',
  'ü e\u0301 \u2028 \u202e \ufeff',
  `'"\\\`\n\r\t\u0001\u007f`,
  '{"op":"put"}',
  '%s $1 :name ? {0}',
  '-0',
  '1e3',
  'null',
  '\0',
  'a\0b\u0000c',
  '\u0001',
  '\u00010000',
  '\ud800',
  'a\udc00\ud800b',
];

/** Names that a store might take for one another. */
const names: readonly string[] = [
  'a',
  'A',
  'a ',
  ' a',
  'ä',
  'a\u0308',
  'a:b',
  'a%b',
  'a_b',
  'a*',
  '{a}',
  "a'b",
  'a"b',
  'a\\b',
  'a\nb',
  '😀',
  '1',
  '01',
  '1.0',
  'constructor',
  '__proto__',
  '\0',
  'a\0',
  'a\0b',
  '\u0001',
  '\u00010000',
  '\ufffd',
  '\ud800',
  '\udc00',
  'x'.repeat(256),
  `${'x'.repeat(255)}y`,
];

/** Texts that cannot be compressed. */
function noise(length: number): string {
  let seed = 7;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  return Array.from({ length }, () => String.fromCodePoint(0x21 + (next() % 0x5e))).join('');
}

/** All names but those of queues and logs may be long. */
const longNames: readonly string[] = [
  'x'.repeat(512),
  `${'x'.repeat(511)}y`,
  noise(6000),
  `${noise(5999)}é`,
  `${noise(5999)}\ud800`,
  `${noise(5999)}\udfff`,
  '€'.repeat(1000),
  '\0'.repeat(1000),
];

export const textCases: Cases = {
  async 'texts, fields and notes are stored as they are'(store) {
    for (const [at, text] of texts.entries()) {
      const key = `${at}`;
      await store.done(put(key, { version: `v${text}`, data: text, fields: { field: text, [`name ${text}`]: '' } }));
      await store.done(append(key, 'log', [text, text], { note: text }));
      const row = await store.row(key);
      same(
        [row?.version, row?.data, row?.fields.field, Object.keys(row?.fields ?? {}).toSorted()],
        [`v${text}`, text, text, ['field', `name ${text}`]],
        `the row with ${JSON.stringify(text)}`,
      );
      const log = await store.log(key, 'log');
      same([log?.note, await store.texts(key, 'log')], [text, [text, text]], `the log with ${JSON.stringify(text)}`);
    }
  },

  async 'keys, aliases, groups and logs with similar names are different'(store) {
    for (const name of names) {
      const row = put(name, { when: 'absent', data: name, alias: name, groups: [{ name, max: 1 }] });
      await store.done(row, append(name, name, [name]));
    }
    for (const name of names) {
      const [row, rows] = await store.done({ op: 'get', key: name }, { op: 'list', group: name, max: 9 });
      same([(row as Row | undefined)?.data, rows], [name, [row]], `the row and group ${JSON.stringify(name)}`);
      same(await store.texts(name, name), [name], `the log ${JSON.stringify(name)}`);
      same((await store.refused('alias', put('n', { alias: name }))).row?.key, name, 'the row of the alias');
    }
  },

  async 'queues, lanes and buckets with similar names are different'(store) {
    for (const name of names) {
      await store.done(put(name, { due: [{ queue: name, inMs: 0, lane: name }] }));
      await store.done({ op: 'tokens', key: name, costMs: 1000, fullMs: 1000 });
    }
    for (const name of names)
      same(await store.takeKeys({ queues: [name] }), [name], `what was taken of ${JSON.stringify(name)}`);
  },

  async 'partitions with similar names are different'(store) {
    for (const name of names) await store.driver.run(name, [put('key', { when: 'absent', data: name })]);
    for (const name of names) {
      const ran = await store.driver.run(name, [{ op: 'get', key: 'key' }]);
      const [row] = (ran.failed === undefined ? ran.results : []) as readonly (Row | undefined)[];
      same(row?.data, name, `the row of the partition ${JSON.stringify(name)}`);
    }
  },

  async 'partitions, keys, aliases, groups, lanes and buckets have any length'(store) {
    const bucket = (key: string) => ({ op: 'tokens', key, costMs: 1000, fullMs: 1000 }) as const;
    for (const [at, name] of longNames.entries()) {
      const due = [{ queue: 'q', inMs: 0, lane: name }];
      const row = put(name, { when: 'absent', data: `${at}`, alias: name, groups: [{ name, max: 1 }], due });
      const done = await store.driver.run(name, [row, append(name, 'log', [`${at}`]), bucket(name)]);
      same(done.failed, undefined, 'whether the run failed');
    }
    for (const [at, name] of longNames.entries()) {
      const ran = await store.driver.run(name, [
        { op: 'get', key: name },
        { op: 'list', group: name, max: 9 },
        { op: 'entries', row: name, log: 'log', after: 0 },
      ]);
      const [row, rows, log] = doneOf(ran) as readonly [Row | undefined, unknown, Log | undefined];
      same([row?.key === name, row?.data, rows], [true, `${at}`, [row]], `the row and group of name ${at}`);
      same(log?.entries, [{ n: 1, data: `${at}` }], `the log of name ${at}`);
      const why = async (...ops: readonly Op[]) => {
        const failed = (await store.driver.run(name, ops)) as FailedRun;
        return [failed.why, (failed.row?.key ?? failed.group ?? name) === name];
      };
      same(await why(put(name, { when: 'absent' })), ['condition', true], `a second row of name ${at}`);
      same(await why(put('n', { alias: name })), ['alias', true], `a second row with the alias ${at}`);
      same(await why(put('n', { groups: [{ name, max: 1 }] })), ['full', true], `a second row of the group ${at}`);
      same(await why(bucket(name)), ['tokens', true], `the bucket ${at}`);
    }
    const taken = await store.take({ partitions: longNames, max: longNames.length });
    const own = taken.filter(({ partition, row }) => partition === row.key).map(({ partition }) => partition);
    same([taken.length, own.toSorted()], [longNames.length, longNames.toSorted()], 'what was taken');
  },

  async 'texts of a million characters'(store) {
    const text = '0123456789abcdé😀'.repeat(2 ** 16);
    await store.done(put('a', { data: text, fields: { field: text } }), append('a', 'log', [text]));
    const row = await store.row('a');
    same([row?.data === text, row?.fields.field === text], [true, true], 'whether the row has the texts');
    same((await store.texts('a', 'log'))?.[0] === text, true, 'whether the log has the text');
  },

  async 'many fields, entries and rows'(store) {
    const many = Array.from({ length: 300 }, (_, at) => `${at}`);
    await store.done(put('a', { fields: Object.fromEntries(many.map((at) => [`field ${at}`, at])) }));
    await store.done(append('a', 'log', many));
    same(Object.keys((await store.row('a'))?.fields ?? {}).length, 300, 'the number of fields');
    same(await store.texts('a', 'log'), many, 'the entries');
  },
};
