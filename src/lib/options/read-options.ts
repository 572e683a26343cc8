/** Reads options by a generated table: checks them, and fills in their defaults. */
import { isRecord } from '../values/is.ts';
import { type FixedIn, fixed } from './fixed-limits.ts';
import { checkOptions, type OptionErrorCode, type OtherNames, type Rules } from './option-rules.ts';
import type { Entry, Table } from './option-table.ts';

/** Options with their defaults: what has a default is not optional, what has none is as it was. Fixed limits are beside them. */
export type Filled<T, R> = {
  readonly [K in keyof T as K extends Defaulted<R> ? never : K]: K extends keyof R ? FilledValue<T[K], R[K]> : T[K];
} & {
  readonly [K in keyof T as K extends Defaulted<R> ? K : never]-?: K extends keyof R
    ? FilledValue<Exclude<T[K], undefined>, R[K]>
    : never;
} & FixedIn<R>;

/** The names of the options that have a default. */
type Defaulted<R> = {
  [K in keyof R]: R[K] extends { readonly default: infer D } ? (undefined extends D ? never : K) : never;
}[keyof R];

type FilledValue<V, R> = R extends { readonly fields: infer F } ? FilledGroup<V, F> : V;

type FilledGroup<V, F> = V extends boolean | undefined | ((...args: never) => unknown) ? V : Filled<V, F>;

/** Returns the options with their defaults. Throws for the first wrong one; `of` is the function that was called. */
export function readOptions<T extends object, R extends Table<T>>(
  of: string,
  table: R,
  options: T | undefined,
  otherNames?: OtherNames,
  code?: OptionErrorCode,
): Filled<T, R> {
  const given: unknown = options === undefined ? {} : options;
  checkOptions(of, given, table as Rules, code, otherNames);
  return fill(given as Given, table as Rules) as Filled<T, R>;
}

/** The same for options that need no check. */
export const withDefaults = <T extends object, R extends Table<T>>(table: R, options: T | undefined): Filled<T, R> =>
  fill((options ?? {}) as Given, table as Rules) as Filled<T, R>;

/** The defaults alone, of a table without groups. */
export const defaultsOf = <R extends object>(table: R): Defaults<R> =>
  fill({}, table as unknown as Rules) as Defaults<R>;

type Defaults<R> = {
  readonly [K in Defaulted<R>]: R[K] extends { readonly default: infer D } ? D : never;
} & FixedIn<R>;

type Given = Readonly<Record<string, unknown>> & { readonly [fixed]?: Readonly<Record<string, number>> };

function fill(options: Given, table: Rules): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(table)) {
    const { fields } = rule;
    const value = options[name] === undefined ? (rule as Partial<Entry<unknown>>).default : options[name];
    if (value !== undefined)
      filled[name] = fields !== undefined && isRecord(value) ? fill(value as Given, fields) : value;
  }
  const { [fixed]: limits = {} } = table;
  for (const [name, limit] of Object.entries(limits)) if (typeof limit === 'number') filled[name] = limit;
  for (const [name, limit] of Object.entries(options[fixed] ?? {})) {
    if (!Object.hasOwn(limits, name)) throw new TypeError(`${name} is no fixed limit of this table.`);
    filled[name] = limit;
  }
  return filled;
}
