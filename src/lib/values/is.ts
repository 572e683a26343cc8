/** Type guards for values that come from outside. */

/** An object with fields: anything that JSON writes as `{}`. */
export type Fields = Record<string, unknown>;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isString = (value: unknown): value is string => typeof value === 'string';

export const isFilledString = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Recognises promises, of any library. */
export const isPromiseLike = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
