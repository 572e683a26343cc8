/** Options are checked by a table and get their defaults; fixed limits are beside them. */
import { describe, expect, it } from 'vitest';
import { fixed } from './fixed-limits.ts';
import {
  amount,
  callback,
  count,
  flag,
  group,
  groupOr,
  groupOrOff,
  ms,
  oneOf,
  required,
  type Table,
  table,
  text,
  texts,
} from './option-table.ts';
import { readOptions } from './read-options.ts';

interface Limits {
  readonly maxCalls?: number;
  readonly maxQueued?: number;
}

interface Options {
  readonly name: string;
  readonly path?: string;
  readonly waitMs?: number;
  readonly limits?: Limits;
  readonly sessions?: false | { readonly ageMs?: number };
  readonly cache?: { readonly ttlMs?: number };
  readonly onClose?: () => void;
}

const limits = table(() => ({ maxCalls: count(10), maxQueued: count() }) satisfies Table<Limits>, {
  maxStreams: 64,
  maxTotal: 'half of limits.maxCalls',
});

const options = table(
  () =>
    ({
      name: required(text()),
      path: text('/mcp'),
      waitMs: ms(30_000),
      limits: group(limits),
      sessions: groupOr([false], { ageMs: ms(1000, { orInfinity: true }) }),
      cache: groupOrOff({ ttlMs: ms(5) }),
      onClose: callback,
    }) satisfies Table<Options>,
);

const read = (given: Options) => readOptions('make()', options, given);

const problemWith = (given: object): string => {
  try {
    readOptions('make()', options, given as Options);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('Options that are read', () => {
  it('have their defaults, in groups too, and are typed as present', () => {
    const { path, waitMs, limits, sessions, cache, onClose } = read({ name: 'a' });
    const typed: [string, number, number] = [path, waitMs, limits.maxCalls];
    expect(typed).toEqual(['/mcp', 30_000, 10]);
    expect(sessions).toEqual({ ageMs: 1000 });
    expect([limits.maxQueued, cache, onClose]).toEqual([undefined, undefined, undefined]);
  });

  it('are those that were given, and undefined is not given', () => {
    const given = { name: 'a', waitMs: 5, limits: { maxCalls: 3 }, sessions: false, cache: {} } as const;
    const { waitMs, limits, sessions, cache, path } = read({ ...given, ...({ path: undefined } as object) });
    expect([waitMs, limits.maxCalls, sessions, cache, path]).toEqual([5, 3, false, { ttlMs: 5 }, '/mcp']);
  });

  it('have fixed limits beside them, which only the symbol replaces', () => {
    const typed: number = read({ name: 'a' }).limits.maxStreams;
    expect(typed).toBe(64);
    const replaced = { maxCalls: 3, [fixed]: { maxStreams: 2, maxTotal: 7 } };
    expect(read({ name: 'a', limits: { ...replaced } }).limits).toMatchObject({
      maxCalls: 3,
      maxStreams: 2,
      maxTotal: 7,
    });
  });
});

it('a test that sets a limit which is not fixed fails', () => {
  const limits = { maxCalls: 1, [fixed]: { maxCalls: 2 } };
  expect(() => read({ name: 'a', limits })).toThrow('maxCalls is no fixed limit');
});

describe('A wrong option', () => {
  it.each([
    [{}, 'make(): name is missing. name must be a string that is not empty.'],
    [{ name: 'a', pth: '/' }, 'make(): pth is not an option. Did you mean path?'],
    [
      { name: 'a', waitMs: 2 ** 31 },
      'make(): waitMs is not valid. waitMs must be milliseconds over 0, at most 2147483647.',
    ],
    [{ name: 'a', sessions: true }, 'make(): sessions is not valid. sessions must be false, or an object with ageMs.'],
    [{ name: 'a', limits: { maxStreams: 3 } }, 'make(): limits.maxStreams is fixed at 64. Remove it.'],
    [{ name: 'a', limits: { maxTotal: 3 } }, 'make(): limits.maxTotal is half of limits.maxCalls. Remove it.'],
  ])('%j is refused by its name', (options, problem) => {
    expect(problemWith(options)).toBe(problem);
  });

  it.each([null, [], 'a'])('%j in place of options is refused', (options) => {
    expect(problemWith(options as unknown as object)).toContain('options must be an object');
  });
});

describe('The rule of a number', () => {
  it.each([
    [ms(), [0.5, 2 ** 31 - 1], [0, -1, 2 ** 31, Infinity, NaN, '1'], 'milliseconds over 0, at most 2147483647'],
    [ms(0, { least: 0 }), [0, 1], [-1], 'milliseconds, 0 to 2147483647'],
    [ms(1, { whole: true }), [1, 1000], [0, 1.5], 'whole milliseconds, 1 to 2147483647'],
    [ms(1, { orInfinity: true }), [1, 2 ** 40, Infinity], [0], 'milliseconds over 0, or Infinity'],
    [ms(1, { most: Infinity }), [2 ** 40], [Infinity, 0], 'milliseconds over 0'],
    [count(), [1, 2 ** 40], [0, 1.5, Infinity, 2 ** 60], 'an integer over 0'],
    [count(1, { orInfinity: true }), [1, Infinity], [0, -Infinity], 'an integer over 0, or Infinity'],
    [count(1, { least: 0 }), [0], [-1, 0.5], 'an integer of at least 0'],
    [count(1, { most: 9 }), [1, 9], [0, 10], 'an integer, 1 to 9'],
    [amount(1, { least: 0, most: 1 }), [0, 0.5, 1], [-0.1, 1.1], 'a number, 0 to 1'],
  ])('%# accepts %j, refuses %j and says "%s"', ({ holds, must }, right, wrong, words) => {
    expect(right.filter((value) => !holds(value))).toEqual([]);
    expect(wrong.filter((value) => holds(value))).toEqual([]);
    expect(must).toBe(`be ${words}`);
  });
});

it('words, texts and flags have rules of their own', () => {
  const order = oneOf(['new', 'old', 'any'], 'new');
  expect([order.must, order.holds('old'), order.holds('no')]).toEqual(["be 'new', 'old' or 'any'", true, false]);
  expect([texts().holds(['a']), texts().holds('a'), texts().holds([1])]).toEqual([true, false, false]);
  expect([flag(true).holds(false), flag().holds('yes')]).toEqual([true, false]);
});
