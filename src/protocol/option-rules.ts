/** Options held against rules, each with its mend: what could only fail later is refused at once. */
import { TenonError } from '../jsonrpc/errors.ts';
import { unknownName } from './nearest-name.ts';
import type { Fields } from './neutral.ts';

export interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

export type Rules = Readonly<Record<string, Rule>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const has = (value: unknown, method: string): boolean => isObject(value) && isFunction(value[method]);
const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) > 0;
export const isCount = (value: unknown): boolean => isPositive(value) && Number.isSafeInteger(value);

/** Timers of all runtimes hold no longer time than this, and run at once for one that is longer. */
const longestTimer = 2 ** 31 - 1;

export const called: Rule = { holds: isFunction, mend: 'Pass a function.' };
export const flag: Rule = { holds: (value) => typeof value === 'boolean', mend: 'Write true or false.' };
export const positive: Rule = { holds: isPositive, mend: 'Give a finite number over 0, or leave it out.' };
export const count: Rule = { holds: isCount, mend: 'Give an integer over 0, or leave it out.' };
export const timed: Rule = {
  holds: (value) => isPositive(value) && (value as number) <= longestTimer,
  mend: `Give milliseconds over 0, at most ${longestTimer}, or leave it out.`,
};
/** For times that Node takes as integers only. */
export const wholeTimed: Rule = {
  holds: (value) => timed.holds(value) && Number.isInteger(value),
  mend: `Give whole milliseconds, 1 to ${longestTimer}, or leave it out.`,
};
export const graced: Rule = {
  holds: (value) => value === 0 || timed.holds(value),
  mend: `Give milliseconds, 0 to ${longestTimer}, or leave it out.`,
};
export const logging: Rule = {
  holds: (value) => ['debug', 'info', 'warn', 'error'].every((level) => has(value, level)),
  mend: 'Pass one with debug, info, warn and error, such as pino().',
};

/** One thing that is wrong: where, in words, and what to do. */
export interface Problem {
  readonly place: string;
  readonly text: string;
  readonly mend: string;
}

/** All that is wrong. `place` stands before the name of each. */
export function problemsIn(place: string, given: Readonly<Fields>, rules: Rules): Problem[] {
  const unknown = unknownName(given, Object.keys(rules));
  const problems = unknown === undefined ? [] : [strange(`${place}${unknown.name}`, unknown.mend)];
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    if (given[name] !== undefined && !holds(given[name])) problems.push(wrong(`${place}${name}`, mend));
  }
  return problems;
}

/** `of` is whose options they are, such as `connect()`. Throws the first problem. */
export function hold(of: string, place: string, given: Readonly<Fields>, rules: Rules): void {
  const [first] = problemsIn(place, given, rules);
  if (first !== undefined) throw problematic(of, first);
}

const strange = (place: string, mend: string): Problem => ({ place, text: `there is no option ${place}.`, mend });
const wrong = (place: string, mend: string): Problem => ({ place, text: `${place} is not what it has to be.`, mend });

export const problematic = (of: string, { place, text, mend }: Problem): TenonError =>
  new TenonError('invalid-argument', `${of}: ${text}`, { hint: mend, details: { place } });

/** The same for whatever was given as options of a function that serves. */
export function holdOptions(of: string, options: unknown, rules: Rules): void {
  if (!isObject(options)) throw unusable(of, 'options is no object', `Write ${of.replace('()', '(server, { … })')}.`);
  hold(of, '', options, rules);
}

export const unusable = (of: string, problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${of}: ${problem}.`, { hint });

export const refused = (of: string, place: string, hint: string): TenonError => problematic(of, wrong(place, hint));

export const unheardOf = (of: string, name: string, known: readonly string[]): TenonError =>
  problematic(of, strange(name, unknownName({ [name]: true }, known)?.mend ?? ''));
