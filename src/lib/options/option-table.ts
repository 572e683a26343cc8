/** The entries of tables of options, which `npm run generate` writes from tagged interfaces: a rule and a default for each option. */
import { isRecord } from '../values/is.ts';
import { type FixedLimits, fixed, type WithFixed } from './fixed-limits.ts';
import type { Rule, Rules } from './option-rules.ts';

/** A rule, and what holds if the option is not set; `undefined` if nothing does. */
export type Entry<D = undefined> = Rule & { readonly default: D };

/** The table of an interface: a missing or an extra member is a compile error. */
export type Table<T> = { readonly [K in keyof T]-?: Rule };

/** A table, with the limits that no option sets. A bundler can leave out the call, and with it all entries, where the table is not used. */
export const table = <R extends object, const F extends FixedLimits = Record<never, never>>(
  entries: () => R,
  limits?: F,
): R & WithFixed<F> => ({ ...entries(), [fixed]: limits ?? ({} as F) });

/** The bounds of a number. */
export interface Range {
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
  readonly orInfinity?: boolean;
}

/** The longest delay of a timer in any runtime. A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** A duration in milliseconds. `most` is what a timer can wait for. */
export function ms<D extends number | undefined = undefined>(value?: D, range: Range = {}): Entry<D> {
  const { least, most = range.orInfinity === true ? Number.POSITIVE_INFINITY : longestTimer, whole = false } = range;
  const words = whole ? 'whole milliseconds' : 'milliseconds';
  return numberEntry(value, { ...range, most }, words, whole ? (least ?? 1) : least);
}

/** How many of something: an integer. */
export function count<D extends number | undefined = undefined>(value?: D, range: Range = {}): Entry<D> {
  const { least, most } = range;
  const from = least ?? (most === undefined ? undefined : 1);
  return numberEntry(value, { ...range, whole: true }, 'an integer', from);
}

/** A number that need not be an integer. */
export const amount = <D extends number | undefined = undefined>(value?: D, range: Range = {}): Entry<D> =>
  numberEntry(value, range, 'a number', range.least);

function numberEntry<D>(
  value: D | undefined,
  { most = Number.POSITIVE_INFINITY, whole = false, orInfinity = false }: Range,
  words: string,
  least: number | undefined,
): Entry<D> {
  const isInRange = (given: number): boolean => (least === undefined ? given > 0 : given >= least) && given <= most;
  const holds = (given: unknown): boolean =>
    given === Number.POSITIVE_INFINITY
      ? orInfinity
      : typeof given === 'number' && isInRange(given) && (!whole || Number.isSafeInteger(given));
  return { holds, must: `be ${words}${bounds(least, most)}${orInfinity ? ', or Infinity' : ''}`, default: value as D };
}

function bounds(least: number | undefined, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === undefined ? ' over 0' : ` of at least ${least}`;
  return least === undefined ? ` over 0, at most ${most}` : `, ${least} to ${most}`;
}

export const flag = <D extends boolean | undefined = undefined>(value?: D): Entry<D> => ({
  holds: (given) => typeof given === 'boolean',
  must: 'be true or false',
  default: value as D,
});

export const callback: Entry = {
  holds: (given) => typeof given === 'function',
  must: 'be a function',
  default: undefined,
};

export const text = <D extends string | undefined = undefined>(value?: D): Entry<D> => ({
  holds: (given) => typeof given === 'string' && given !== '',
  must: 'be a string that is not empty',
  default: value as D,
});

export const texts = <D extends readonly string[] | undefined = undefined>(value?: D): Entry<D> => ({
  holds: (given) => Array.isArray(given) && given.every((one) => typeof one === 'string'),
  must: 'be a list of strings',
  default: value as D,
});

/** One of a few words. */
export const oneOf = <D extends string | undefined = undefined>(words: readonly string[], value?: D): Entry<D> => ({
  holds: (given) => (words as readonly unknown[]).includes(given),
  must: `be ${either(words.map((word) => `'${word}'`))}`,
  default: value as D,
});

const either = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');

/** An option that has to be set. */
export const required = <E extends Rule>(entry: E): E => ({ ...entry, isRequired: true });

/** A rule with a default. */
export const withDefault = <D>(rule: Rule, value: D): Entry<D> => ({
  ...rule,
  default: value,
});

/** Not a plain `Rule`: its `fields` would accept any name. */
export type Group<F, D = Record<never, never>> = Omit<Rule, 'fields'> & { readonly fields: F; readonly default: D };

/** An object of options with a table of its own, which has the defaults. */
export const group = <F extends Rules>(fields: F): Group<F> => ({
  holds: isRecord,
  must: `be an object with ${Object.keys(fields).join(', ')}`,
  fields,
  default: {},
});

/** The same where the option is off unless it is set. */
export const groupOrOff = <F extends Rules>(fields: F): Group<F, undefined> => ({
  ...group(fields),
  default: undefined,
});

/** A group, or a plain value that replaces it: `false`, or either boolean. */
export const groupOr = <F extends Rules, D = Record<never, never>>(
  others: readonly boolean[],
  fields: F,
  value: D = {} as D,
): Group<F, D> => {
  const { must } = group(fields);
  return {
    holds: (given) => isRecord(given) || (others as readonly unknown[]).includes(given),
    must: `be ${others.map(String).join(', ')}, or ${must.replace('be ', '')}`,
    fields,
    default: value,
  };
};
