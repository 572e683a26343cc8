/** Tables of options: `npm run generate` writes one from each tagged interface, `readOptions` checks options by it and fills in defaults. */
import {
  checkOptions,
  type FixedLimits,
  fixed,
  isObject,
  type OptionErrorCode,
  type OtherNames,
  type Rule,
  type Rules,
} from './option-rules.ts';

/** A rule, and what holds if the option is not set; `undefined` if nothing does. */
export type Entry<D = undefined> = Rule & { readonly default: D };

/** The table of an interface: a missing or an extra member is a compile error. */
export type Table<T> = { readonly [K in keyof T]-?: Rule } & { readonly [fixed]?: FixedLimits };

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
  value: D,
  { most = Number.POSITIVE_INFINITY, whole = false, orInfinity = false }: Range,
  words: string,
  least: number | undefined,
): Entry<D> {
  const isInRange = (given: number): boolean => (least === undefined ? given > 0 : given >= least) && given <= most;
  const holds = (given: unknown): boolean =>
    given === Number.POSITIVE_INFINITY
      ? orInfinity
      : typeof given === 'number' && isInRange(given) && (!whole || Number.isSafeInteger(given));
  return { holds, must: `be ${words}${bounds(least, most)}${orInfinity ? ', or Infinity' : ''}`, default: value };
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

/** A rule with a default. */
export const withDefault = <D>(rule: Rule, value: D): Entry<D> => ({ ...rule, default: value });

export type Group<F, D = Record<never, never>> = Rule & { readonly fields: F; readonly default: D };

/** An object of options with a table of its own, which has the defaults. */
export const group = <F extends Rules>(fields: F): Group<F> => ({
  holds: isObject,
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
    holds: (given) => isObject(given) || (others as readonly unknown[]).includes(given),
    must: `be ${others.map(String).join(', ')}, or ${must.replace('be ', '')}`,
    fields,
    default: value,
  };
};

/** Options with their defaults: not optional where there is a default. Fixed limits are beside them. */
export type Filled<T, R> = {
  readonly [K in keyof T]-?: K extends keyof R ? FilledValue<T[K], R[K]> : T[K];
} & FixedIn<R>;

type FilledValue<V, R> = R extends { readonly fields: infer F; readonly default: infer D }
  ? FilledGroup<Exclude<V, undefined>, F> | (undefined extends D ? undefined : never)
  : R extends { readonly default: infer D }
    ? Exclude<V, undefined> | (undefined extends D ? undefined : never)
    : V | undefined;

type FilledGroup<V, F> = V extends boolean | ((...args: never) => unknown) ? V : Filled<V, F>;

type FixedIn<R> = R extends { readonly [fixed]: infer F }
  ? { readonly [K in keyof F]: F[K] extends string ? number | undefined : number }
  : unknown;

/** Returns the options with their defaults. Throws for the first wrong one; `of` is the function that was called. */
export function readOptions<T extends object, R extends Table<T>>(
  of: string,
  table: R,
  options: T | undefined,
  otherNames?: OtherNames,
  code?: OptionErrorCode,
): Filled<T, R> {
  const given: unknown = options ?? {};
  checkOptions(of, given, table as Rules, code, otherNames);
  return fill(given as Given, table as Rules) as Filled<T, R>;
}

type Given = Readonly<Record<string, unknown>> & { readonly [fixed]?: Readonly<Record<string, number>> };

function fill(options: Given, table: Rules): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(table)) {
    const { fields } = rule;
    const value = options[name] === undefined ? (rule as Partial<Entry<unknown>>).default : options[name];
    filled[name] = fields !== undefined && isObject(value) ? fill(value as Given, fields) : value;
  }
  for (const [name, limit] of Object.entries(table[fixed] ?? {})) if (typeof limit === 'number') filled[name] = limit;
  return Object.assign(filled, options[fixed]);
}
