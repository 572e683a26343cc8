/** The functions that the generated checkers call. */

export { isRecord, isString } from '../../lib/values/is.ts';

/** Whether a value matches a shape. Never throws; `explain.ts` finds the reason. */
export type Check = (value: unknown) => boolean;

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export const isInteger = (value: unknown): value is number => Number.isInteger(value);

export function isListOf(value: unknown, check: Check): value is unknown[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (!check(value[i])) return false;
  return true;
}

const isOwn = Object.prototype.hasOwnProperty;

export function isMapOf(value: Record<string, unknown>, check: Check): boolean {
  // Several times faster than a list of the keys, which would be made for every map.
  for (const key in value) {
    if (isOwn.call(value, key) && value[key] !== undefined && !check(value[key])) return false;
  }
  return true;
}
