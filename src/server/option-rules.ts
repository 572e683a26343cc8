/** Rules for options that are given at run time, where no type was looked at: each says what to write instead. */
import { TenonError } from '../jsonrpc/errors.ts';

export interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

export type Rules = Readonly<Record<string, Rule>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const has = (value: unknown, method: string): boolean => isObject(value) && typeof value[method] === 'function';

export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

/** Timers of all runtimes hold no longer time than this, and run at once for one that is longer. */
const longestTimer = 2 ** 31 - 1;

const isTime = (value: unknown): boolean => Number.isFinite(value) && (value as number) <= longestTimer;

export const switched: Rule = { holds: (value) => typeof value === 'boolean', mend: 'Write true or false.' };
export const called: Rule = { holds: (value) => typeof value === 'function', mend: 'Pass a function.' };
export const counted: Rule = { holds: isCount, mend: 'Give an integer over 0, or leave it out.' };
export const timed: Rule = {
  holds: (value) => isTime(value) && (value as number) > 0,
  mend: `Give milliseconds over 0, at most ${longestTimer}, or leave it out.`,
};
export const graced: Rule = {
  holds: (value) => isTime(value) && (value as number) >= 0,
  mend: `Give milliseconds, 0 to ${longestTimer}, or leave it out.`,
};
export const logging: Rule = {
  holds: (value) => ['debug', 'info', 'warn', 'error'].every((level) => has(value, level)),
  mend: 'Pass one with debug, info, warn and error, such as pino().',
};

/** Throws `invalid-argument` for the first option that breaks its rule; `caller` is the function they were given to. */
export function checkRules(caller: string, options: unknown, rules: Rules): void {
  if (!isObject(options)) throw unusable(caller, 'options is no object', `Write ${caller}(server, { … }).`);
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    const value = options[name];
    if (value !== undefined && !holds(value)) throw unusable(caller, `${name} is not what it has to be`, mend);
  }
}

export const unusable = (caller: string, problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${caller}(): ${problem}.`, { hint });
