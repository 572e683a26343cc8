/** The small steps from which fittings are made. A step that has nothing to do is `undefined` and costs nothing. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/** Returns the value itself if nothing has to change. Never changes its argument. */
export type Fit = (value: Fields) => Fields;
export type Step = Fit | undefined;

export function leaveOut(keys: readonly string[] = []): Step {
  if (keys.length === 0) return undefined;
  return (value) => {
    if (!keys.some((key) => value[key] !== undefined)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
  };
}

export function chain(...steps: Step[]): Step {
  const present = steps.filter((step) => step !== undefined);
  return present.length === 0 ? undefined : (value) => present.reduce((fitted, step) => step(fitted), value);
}

/** Fits the record at a key. */
export function at(key: string, fit: Step): Step {
  return fit && ((value) => (isRecord(value[key]) ? withField(value, key, fit(value[key])) : value));
}

/** Fits each record of the list at a key. */
export function each(key: string, fit: Step): Step {
  return fit && ((value) => (Array.isArray(value[key]) ? withField(value, key, fitAll(value[key], fit)) : value));
}

export const withField = (value: Fields, key: string, next: unknown): Fields =>
  value[key] === next ? value : { ...value, [key]: next };

function fitAll(values: unknown[], fit: Fit): unknown[] {
  const fitted = values.map((value) => (isRecord(value) ? fit(value) : value));
  return fitted.some((value, n) => value !== values[n]) ? fitted : values;
}
