/** Options held against rules, each with its mend: what could only fail later is refused at once. */
import { TenonError } from '../jsonrpc/errors.ts';
import { unknownName } from '../protocol/nearest-name.ts';
import type { Fields } from '../protocol/neutral.ts';

export interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

export type Rules = Readonly<Record<string, Rule>>;

export const isFunction = (value: unknown): boolean => typeof value === 'function';
const isPositive = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isCount = (value: unknown): boolean => isPositive(value) && Number.isInteger(value);

export const called: Rule = { holds: isFunction, mend: 'Pass a function.' };
export const flag: Rule = { holds: (value) => typeof value === 'boolean', mend: 'Use true or false.' };
export const positive: Rule = { holds: isPositive, mend: 'Use a finite number over 0, or leave it out.' };
export const count: Rule = { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' };

/** `of` is whose options they are, such as `connect()`; `place` stands before the name of each. */
export function hold(of: string, place: string, given: Readonly<Fields>, rules: Rules): void {
  const unknown = unknownName(given, Object.keys(rules));
  if (unknown !== undefined) throw unheardOf(of, `${place}${unknown.name}`, unknown.mend);
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    if (given[name] !== undefined && !holds(given[name])) throw refused(of, `${place}${name}`, mend);
  }
}

const unheardOf = (of: string, place: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${of}: there is no option ${place}.`, { hint, details: { place } });

export const refused = (of: string, place: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${of}: ${place} is not what it has to be.`, { hint, details: { place } });
