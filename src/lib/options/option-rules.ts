/** Checks options against tables of rules, so that a wrong option fails at once and by its name. */
import { TenonError } from '../errors/tenon-error.ts';
import { nameHint, nearestName, unknownName } from '../text/nearest-name.ts';
import { type Fields, isRecord } from '../values/is.ts';
import { type FixedLimits, fixed, fixedNamed, fixedValue } from './fixed-limits.ts';

export interface Rule {
  readonly holds: (value: unknown) => boolean;
  /** Completes the sentence "`option` must …". */
  readonly must: string;
  /** Whether the option has to be set. */
  readonly isRequired?: boolean;
  /** The rules of its members, where the value is an object. */
  readonly fields?: Rules;
  /** The problem of one entry, if the value is a list. */
  readonly entry?: (entry: unknown) => EntryProblem | undefined;
}

/**
 * The problem of an entry of a list. Its text follows the place of the entry; `fix` is the entry to write instead, if
 * it is known.
 */
export interface EntryProblem {
  readonly problem: string;
  readonly fix?: string | undefined;
}

export type Rules = Readonly<Record<string, Rule>> & { readonly [fixed]?: FixedLimits };

/** Names that other libraries have for an option, each with the option that is meant. */
export type OtherNames = Readonly<Record<string, string>>;

export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const has = (value: unknown, method: string): boolean =>
  typeof value === 'object' && value !== null && isFunction((value as Fields)[method]);
const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) > 0;
export const isCount = (value: unknown): boolean => isPositive(value) && Number.isSafeInteger(value);
export const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The longest delay of a timer in any runtime. A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

export const callback: Rule = { holds: isFunction, must: 'be a function' };
export const flag: Rule = { holds: (value) => typeof value === 'boolean', must: 'be true or false' };
export const positive: Rule = { holds: isPositive, must: 'be a finite number over 0' };
export const count: Rule = { holds: isCount, must: 'be an integer over 0' };
export const duration: Rule = {
  holds: (value) => isPositive(value) && (value as number) <= longestTimer,
  must: `be milliseconds over 0, at most ${longestTimer}`,
};
export const logger: Rule = {
  holds: (value) => ['debug', 'info', 'warn', 'error'].every((level) => has(value, level)),
  must: 'have the methods debug, info, warn and error, as pino() has',
};
export const port: Rule = {
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
  must: 'be an integer, 0 to 65535; 0 takes any free port',
};
/** An object of options with rules of its own. */
export const group = (fields: Rules): Rule => ({
  holds: isRecord,
  must: `be an object with ${Object.keys(fields).join(', ')}`,
  fields,
});

/** One wrong option: its place, the problem, and what to write instead. */
export interface Problem {
  readonly place: string;
  readonly text: string;
  readonly hint: string;
}

/** All wrong options. `place` is put before the name of each. */
export function problemsIn(
  place: string,
  options: Readonly<Fields>,
  rules: Rules,
  otherNames: OtherNames = {},
): Problem[] {
  const unknown = unknownName(options, Object.keys(rules), place);
  const problems: Problem[] = [];
  const limit = unknown && fixedNamed(unknown.name, rules[fixed]);
  if (unknown !== undefined && limit !== undefined) problems.push(fixedOption(`${place}${unknown.name}`, limit));
  else if (unknown !== undefined) {
    const meant = Object.hasOwn(otherNames, unknown.name) ? otherNames[unknown.name] : memberNamed(unknown.name, rules);
    const similar = meant ?? (unknown.meant === undefined ? memberLike(unknown.name, rules) : undefined);
    const hint = similar === undefined ? unknown.hint : `Did you mean ${place}${similar}?`;
    problems.push(unknownOption(`${place}${unknown.name}`, hint));
  }
  for (const [name, rule] of Object.entries(rules)) {
    const { holds, must, fields, isRequired } = rule;
    const value = options[name];
    if (value === undefined) {
      if (isRequired === true) problems.push(missingOption(`${place}${name}`, must));
    } else if (!holds(value))
      problems.push(wrongEntry(`${place}${name}`, value, rule) ?? wrongOption(`${place}${name}`, must));
    else if (fields !== undefined && isRecord(value)) problems.push(...problemsIn(`${place}${name}.`, value, fields));
  }
  return problems;
}

/** The place of an option that belongs into a group, such as `limits.maxBodyBytes`. */
function memberNamed(name: string, rules: Rules): string | undefined {
  const owner = Object.entries(rules).find(([, { fields }]) => fields !== undefined && Object.hasOwn(fields, name));
  return owner && `${owner[0]}.${name}`;
}

/** A member of a group whose name is similar: `limits.maxBodyBytes` for `maxBody`. */
function memberLike(name: string, rules: Rules): string | undefined {
  for (const [group, { fields = {} }] of Object.entries(rules)) {
    const meant = nearestName(name, Object.keys(fields));
    if (meant !== undefined) return `${group}.${meant}`;
  }
  return undefined;
}

const fixedOption = (place: string, limit: number | string): Problem => ({
  place,
  text: `${place} is ${fixedValue(limit)}.`,
  hint: 'Remove it.',
});
const unknownOption = (place: string, hint: string): Problem => ({ place, text: `${place} is not an option.`, hint });
const wrongOption = (place: string, must: string): Problem => ({
  place,
  text: `${place} is not valid.`,
  hint: `${place} must ${must}.`,
});

const missingOption = (place: string, must: string): Problem => ({
  ...wrongOption(place, must),
  text: `${place} is missing.`,
});

/** The first wrong entry of a list: it is more precise than the rule of the whole list. */
function wrongEntry(place: string, value: unknown, { must, entry }: Rule): Problem | undefined {
  if (entry === undefined || !Array.isArray(value)) return undefined;
  for (const [at, one] of value.entries()) {
    const found = entry(one);
    if (found === undefined) continue;
    const { problem, fix } = found;
    const hint = fix === undefined ? `${place} must ${must}.` : `Write ${JSON.stringify(fix)}.`;
    return { place: `${place}[${at}]`, text: `${place}[${at}] ${problem}.`, hint };
  }
  return undefined;
}

export type OptionErrorCode = 'invalid-argument' | 'invalid-definition';

/** `of` is the function that was called, such as `connect()`. */
export const optionError = (
  of: string,
  { place, text, hint }: Problem,
  code: OptionErrorCode = 'invalid-argument',
): TenonError => new TenonError(code, `${of}: ${text}`, { hint, details: { place } });

/** The error for one option whose rule is not in a table. */
export const wrong = (of: string, place: string, must: string, code?: OptionErrorCode): TenonError =>
  optionError(of, wrongOption(place, must), code);

export const unknown = (of: string, name: string, known: readonly string[]): TenonError =>
  optionError(of, unknownOption(name, nameHint(name, known)));

/** Throws for the first wrong option. */
export function checkOptions(
  of: string,
  options: unknown,
  rules: Rules,
  code?: OptionErrorCode,
  otherNames?: OtherNames,
): void {
  if (!isRecord(options)) throw wrong(of, 'options', 'be an object', code);
  const [first] = problemsIn('', options, rules, otherNames);
  if (first !== undefined) throw optionError(of, first, code);
}

/** Schemes of URLs that a user may be asked to open. */
export const urlSchemes: Rule = {
  holds: (value) => isTexts(value) && (value as string[]).every((one) => /^[a-z][a-z\d+.-]*$/.test(one)),
  must: "be a list such as ['https', 'myapp'], without the colon",
};
