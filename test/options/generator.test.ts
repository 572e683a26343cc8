/** From tagged interfaces to tables and pages; every mistake has its place and its fix. */
import { describe, expect, it } from 'vitest';
import { generateOptions } from '../../scripts/generate/options/generate.ts';

/** A comment that follows a brace belongs to it: members begin on lines of their own. */
const generate = (files: Readonly<Record<string, string>>) =>
  generateOptions(
    new Map(
      Object.entries(files).map(([path, text]) => [
        path,
        text.replace(/[{;] \/\*\*/g, (start) => start.replace(' ', '\n')),
      ]),
    ),
  );

/** An interface of the area HTTP with these members. */
const options = (...members: string[]): string =>
  ['/** Options. @area HTTP */', 'export interface PlainOptions {', ...members, '}'].join('\n');

const file = 'src/plain/options.ts';
const tableOf = (text: string, more: Readonly<Record<string, string>> = {}): string => {
  const { files, problems } = generate({ [file]: text, ...more });
  expect(problems).toEqual([]);
  return files.get('src/plain/options.table.ts') ?? '';
};
const problemsOf = (text: string, more: Readonly<Record<string, string>> = {}): readonly string[] =>
  generate({ [file]: text, ...more }).problems;

const rule = { 'src/plain/rules.ts': 'export const port: Rule = { holds: isPort, must: "be a port" };' };

describe('An entry of a table', () => {
  it.each([
    ['/** A. @default 30 s */ readonly requestMs?: number;', 'requestMs: ms(30_000),'],
    ['/** A. @default 0 @least 0 @whole */ readonly waitMs?: number;', 'waitMs: ms(0, { least: 0, whole: true }),'],
    ['/** A. @default 7 days @orInfinity */ readonly ageMs?: number;', 'ageMs: ms(604_800_000, { orInfinity: true }),'],
    [
      '/** A. @default off @most none */ readonly ttlMs?: number;',
      'ttlMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),',
    ],
    ['/** A. @default 4 Mi */ readonly maxChars?: number;', 'maxChars: count(4_194_304),'],
    ['/** A. @default 10,000, half of it for a caller */ readonly maxCalls?: number;', 'maxCalls: count(10_000),'],
    ['/** A. @default computed twice `maxCalls` */ readonly maxQueued?: number;', 'maxQueued: count(),'],
    ['/** A. @default 3 @whole @most 100 */ readonly attempts?: number;', 'attempts: count(3, { most: 100 }),'],
    ['/** A. @default 0.5 @least 0 @most 1 */ readonly share?: number;', 'share: amount(0.5, { least: 0, most: 1 }),'],
    ['/** A. @default false */ readonly strict?: boolean;', 'strict: flag(false),'],
    ['/** A. @default off */ readonly onClose?: (code: number) => void;', 'onClose: callback,'],
    ["/** A. @default 'new' */ readonly order?: 'new' | 'old';", "order: oneOf(['new', 'old'], 'new'),"],
    ["/** A. @default '/mcp' */ readonly path?: string;", "path: text('/mcp'),"],
    ['/** A. @default off */ readonly names?: readonly string[];', 'names: texts(),'],
    ['/** A. @default 3000 @rule port */ readonly port?: number;', 'port: withDefault(port, 3000),'],
    ['/** A. @default off @rule port */ readonly port?: unknown;', '  port,'],
    ['/** A. */ readonly name: string;', 'name: required(text()),'],
  ])('for %s is %s', (member, entry) => {
    expect(tableOf(options(member), rule)).toContain(entry);
  });

  it('follows an alias of a function or of words to another file', () => {
    const types = { 'src/plain/types.ts': "export type Tap = (text: string) => void;\nexport type Order = 'a' | 'b';" };
    const members = ['/** A. @default off */ tap?: Tap;', "/** A. @default 'a' */ order?: Order;"];
    const text = `import type { Order, Tap } from './types.ts';\n${options(...members)}`;
    expect(tableOf(text, types)).toMatch(/ {6}tap: callback,\n {6}order: oneOf\(\['a', 'b'\], 'a'\),/);
  });

  it('imports rules and tables from the files that have them, and its interface as a type', () => {
    const inner = {
      'src/low/limits.ts':
        '/** Limits. @area HTTP */ export interface LowLimits { /** A. @default 3 */ maxDepth?: number }',
    };
    const text = `import type { LowLimits } from '../low/limits.ts';\n${options('/** A. */ limits?: LowLimits;', '/** A. @default 80 @rule port */ port?: number;')}`;
    expect(
      tableOf(text, { ...rule, ...inner }),
    ).toBe(`/** Tables of options, generated from the interfaces beside it: do not edit, run \`npm run generate\`. */
import { group, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { lowLimits } from '../low/limits.table.ts';
import type { PlainOptions } from './options.ts';
import { port } from './rules.ts';

export const plainOptions = /* @__PURE__ */ table(
  () =>
    ({
      limits: group(lowLimits),
      port: withDefault(port, 80),
    }) satisfies Table<PlainOptions>,
);
`);
  });
});

describe('A group', () => {
  const limits = '/** Limits. @area HTTP */ export interface Limits { /** A. @default 3 */ maxDepth?: number }\n';

  it.each([
    ['/** A. */ readonly limits?: Limits;', 'limits: group(limits),'],
    ['/** A. */ readonly limits?: Partial<Limits>;', 'limits: group(limits),'],
    ['/** A. @default off */ readonly limits?: Limits;', 'limits: groupOrOff(limits),'],
    ['/** A. */ readonly limits?: false | Limits;', 'limits: groupOr([false], limits),'],
    ['/** A. */ readonly limits?: boolean | Limits;', 'limits: groupOr([true, false], limits),'],
  ])('written as %s is %s, and its table comes first', (member, entry) => {
    const table = tableOf(`${options(member)}\n${limits}`);
    expect(table).toContain(entry);
    expect(table.indexOf('export const limits =')).toBeLessThan(table.indexOf('export const plainOptions'));
  });
});

describe('An interface that extends others', () => {
  const low =
    '/** Low. @area HTTP */ export interface Low { /** A. @default 1 */ maxOne?: number; /** B. @default 2 */ maxTwo?: number }\n';

  it('has their members, and its own in their place', () => {
    const table = tableOf(
      `${low}/** High. @area HTTP */ interface High extends Low { /** B. @default 3 */ maxTwo?: number }`,
    );
    expect(table).toContain('({\n      maxOne: count(1),\n      maxTwo: count(3),\n    }) satisfies Table<High>');
  });

  it('lacks what it omits', () => {
    const table = tableOf(`${low}/** High. @area HTTP */ interface High extends Omit<Low, 'maxTwo'> {}`);
    expect(table).toContain('({\n      maxOne: count(1),\n    }) satisfies Table<High>');
  });
});

describe('A fixed limit', () => {
  const limit =
    '/** Streams of a session. @limit PlainOptions.maxStreams @beyond the oldest is dropped */\nexport const streams = 8 * 8;\n';

  it('is in the table of its interface, and of those that extend it', () => {
    const high = '\n/** High. @area HTTP */ interface High extends PlainOptions {}';
    const table = tableOf(options() + high, { 'src/plain/streams.ts': limit });
    expect(table.match(/^ {2}\{\n {4}maxStreams: streams,\n {2}\},\n\);/gm)).toHaveLength(2);
    expect(table).toContain("import { streams } from './streams.ts';");
  });

  it('that follows from an option has words instead of a number', () => {
    const share =
      '/** All. @limit PlainOptions.maxTotal @default computed half of `maxMemoryBytes` */ export const share = 1 / 2;';
    expect(tableOf(`${options()}\n${share}`)).toContain("  {\n    maxTotal: 'half of maxMemoryBytes',\n  },");
  });

  it('has a row without an option', () => {
    const { files } = generate({ [file]: options(), 'src/plain/streams.ts': limit });
    const rows = files
      .get('docs/guide/limits/http.md')
      ?.split('\n')
      .filter((line) => line.startsWith('| Streams'));
    expect(rows).toEqual(['| Streams of a session | 64    | the oldest is dropped |      |']);
  });

  it('that an option of the command line sets is a row with it', () => {
    const calls = '/** Calls. @limit command line @option --calls @default 10, at most 20 */\nconst calls = f();';
    expect(generate({ 'src/cli/calls.ts': calls }).rows).toMatchObject([
      { limit: 'Calls', option: '`--calls`', default: '10, at most 20', isFixed: false },
    ]);
  });

  it.each([
    ['export const waitMs = 90_000;', '90 s'],
    ['export const waitMs = 2 * 24 * 60 * 60_000;', '2 days'],
    ['export const most = 16 * 1024;', '16 Ki'],
    ['export const most = 100_000;', '100,000'],
    ['const half = 50;\nexport const most = half * 2;', '100'],
  ])('%s is shown as %s', (code, shown) => {
    const [before = '', constant = before] = code.split('\n');
    const tagged = `${constant === before ? '' : before}\n/** A limit. @limit HTTP */\n${constant}`;
    expect(generate({ 'src/a.ts': tagged }).rows).toMatchObject([{ limit: 'A limit', default: shown, isFixed: true }]);
  });
});

describe('A row of a page', () => {
  it('has the first sentence, the place of the option, the default and what is beyond it', () => {
    const limits = `/** Limits. @area HTTP */ export interface Limits {
      /**
       * Calls of \`limits.maxCalls\` at once. Others wait.
       * @default 10,000, half of it for a caller
       * @beyond the call gets 503
       * @code overloaded, rate-limited
       */
      readonly maxCalls?: number;
    }\n`;
    expect(generate({ [file]: limits + options('/** A. */ limits?: Limits;') }).rows).toEqual([
      {
        area: 'HTTP',
        limit: 'Calls of `limits.maxCalls` at once',
        option: '`limits.maxCalls`',
        default: '10,000, half of it for a caller',
        beyond: 'the call gets 503',
        code: '`overloaded`, `rate-limited`',
        isFixed: false,
      },
    ]);
  });

  it('names the function where it is not the one of the area', () => {
    const text = '/** A. @area client @of `fileTasks` */ interface A { /** B. @default 3 */ maxB?: number }';
    expect(generate({ [file]: text }).rows).toMatchObject([{ option: '`maxB` of `fileTasks`' }]);
  });

  it('is there once for an option that several interfaces inherit, and not for what is no limit', () => {
    const text = options('/** A. @default 1 */ maxA?: number;', '/** A. @default false */ strict?: boolean;');
    const { rows } = generate({ [file]: `${text}\n/** B. @area HTTP */ interface B extends PlainOptions {}` });
    expect(rows.map(({ option }) => option)).toEqual(['`maxA`']);
  });

  it('is there for an interface that is checked by hand, which has no table', () => {
    const text = '/** A. @area store @noTable */ interface A { /** B. @default 3 */ maxB?: number }';
    const { files, rows } = generate({ [file]: text });
    expect([...files.keys()]).toEqual(['docs/guide/limits/store.md', 'docs/guide/limits.md']);
    expect(rows).toHaveLength(1);
  });
});

describe('A mistake is reported with its place and its fix:', () => {
  it.each([
    [
      'no default',
      options('/** A. */ readonly waitMs?: number;'),
      'src/plain/options.ts:3: PlainOptions.waitMs has no @default. Write "@default 30 s", "@default off", or "@default computed" and how.',
    ],
    [
      'a default that is none',
      options('/** A. @default soon */ readonly waitMs?: number;'),
      'PlainOptions.waitMs has the default "soon". Write it as "30 s"',
    ],
    [
      'a duration without a unit',
      options('/** A. @default 30 */ readonly waitMs?: number;'),
      'PlainOptions.waitMs has the default "30". Write it as "30 s"',
    ],
    [
      'an unknown tag',
      options('/** A. @default 1 @beyound x */ readonly maxA?: number;'),
      'PlainOptions.maxA has the tag @beyound. Its tags are @default, @beyond',
    ],
    [
      'an unknown area',
      '/** A. @area HTP */ interface A {}',
      'src/plain/options.ts:1: "HTP" is no area. Areas are server, messages, HTTP',
    ],
    [
      'a number of no kind',
      options('/** A. @default 1 */ readonly size?: number;'),
      'PlainOptions.size is a number of no kind. Name it …Ms, max…',
    ],
    [
      'a type without a kind',
      options('/** A. @default off */ readonly store?: Store;'),
      'PlainOptions.store has a type without a kind. Tag the interface that it names',
    ],
    [
      'a rule that is nowhere',
      options('/** A. @default off @rule store */ readonly store?: Store;'),
      'PlainOptions.store names the rule store, which is nowhere. Write "export const store: Rule = …".',
    ],
    [
      'a wrong bound',
      options('/** A. @default 1 @most many */ readonly maxA?: number;'),
      'PlainOptions.maxA has a wrong @least or @most.',
    ],
    [
      'a base without tags',
      '/** A. @area HTTP */ interface A extends B {}',
      'B has no @area. Tag the interface that is extended too.',
    ],
    ['a method', options('/** A. */ close(): void;'), 'PlainOptions.close is not a property with a type.'],
    [
      'a limit of nothing',
      '/** A. @limit Nothing.maxA */ export const maxA = 1;',
      'maxA has "@limit Nothing.maxA". Write an area (',
    ],
    [
      'a limit that is no number',
      '/** A. @limit HTTP */ export const maxA = f();',
      'maxA is a limit that is no number.',
    ],
    [
      'a limit of an interface that is not exported',
      `${options()}\n/** A. @limit PlainOptions.maxA */\nconst maxA = 1;`,
      'maxA is not exported, and a table needs it.',
    ],
    [
      'a limit that is an option',
      `${options('/** A. @default 1 */ maxA?: number;')}\n/** A. @limit PlainOptions.maxA */ export const maxA = 1;`,
      'maxA fixes PlainOptions.maxA, which is an option. Remove the one or the other.',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });

  it('a rule that two files have', () => {
    const text = options('/** A. @default off @rule port */ readonly port?: number;');
    const problems = problemsOf(text, { ...rule, 'src/b.ts': 'export const port: Rule = x;' });
    expect(problems).toEqual([expect.stringContaining('Rename one of src/plain/rules.ts, src/b.ts.')]);
  });
});
