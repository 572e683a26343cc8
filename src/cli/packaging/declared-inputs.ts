/** Environment variables and headers as package.json declares them. They are declared with what they are for, never with a value. */
import { type Fields, isFilledString, isRecord } from '../../lib/values/is.ts';
import type { Report } from './problems.ts';

/** A variable or a header that the user fills in. */
export interface DeclaredInput {
  readonly name: string;
  readonly description: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
  readonly format?: 'string' | 'number' | 'boolean' | 'filepath';
  readonly default?: string;
  readonly choices?: readonly string[];
}

const formats: ReadonlySet<unknown> = new Set(['string', 'number', 'boolean', 'filepath']);
const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

/** What each member must be, in words and as a check. */
const members: Readonly<Record<string, readonly [holds: (value: unknown) => boolean, must: string]>> = {
  name: [isFilledString, 'the name'],
  description: [isFilledString, 'a sentence for the user who fills it in'],
  isSecret: [isFlag, 'true or false'],
  isRequired: [isFlag, 'true or false'],
  format: [(value) => formats.has(value), 'string, number, boolean or filepath'],
  default: [isText, 'a text'],
  choices: [(value) => Array.isArray(value) && value.length > 0 && value.every(isText), 'a list of texts'],
};

/** The names that a variable or a header can have. */
export const variableName = /^[A-Za-z_]\w{0,127}$/;
export const headerName = /^[!#$%&'*+.^`|~\w-]{1,127}$/;

export function readInputs(value: unknown, place: string, names: RegExp, report: Report): readonly DeclaredInput[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isRecord)) {
    report(`${place} must be a list such as [{ "name": "API_KEY", "description": "…", "isSecret": true }].`);
    return [];
  }
  const seen = new Set<string>();
  for (const [index, entry] of value.entries()) checkInput(entry, `${place}[${index}]`, names, seen, report);
  return value.map(ordered);
}

function checkInput(entry: Fields, place: string, names: RegExp, seen: Set<string>, report: Report): void {
  const { name, description } = entry;
  const shown = isFilledString(name) ? `${place} (${name})` : place;
  if (!isFilledString(name) || !names.test(name)) report(`${shown} needs a name that ${names.source} matches.`);
  if (!isFilledString(description)) report(`${shown} needs a description: it is all that the user sees.`);
  if ('value' in entry) report(`${shown} has a value. What is published only declares variables: take the value out.`);
  if (entry.isSecret === true && 'default' in entry) report(`${shown} is a secret and has a default: take it out.`);
  for (const [member, given] of Object.entries(entry)) {
    const rule = members[member];
    if (rule !== undefined && !['name', 'description'].includes(member) && !rule[0](given))
      report(`${shown}: ${member} must be ${rule[1]}.`);
    if (rule === undefined && member !== 'value')
      report(`${shown}: ${member} is unknown. There are ${Object.keys(members).join(', ')}.`);
  }
  if (seen.has(String(name))) report(`${shown} is there twice.`);
  seen.add(String(name));
}

/** The members in one order, so that what is written does not depend on theirs. */
const ordered = (entry: Fields): DeclaredInput =>
  Object.fromEntries(
    Object.keys(members)
      .filter((member) => member in entry)
      .map((member) => [member, entry[member]]),
  ) as unknown as DeclaredInput;

/** Values with which the server can be started to look at it. */
export const placeholders = (inputs: readonly DeclaredInput[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inputs
      .filter((input) => input.isRequired === true || input.default !== undefined)
      .map((input) => [input.name, input.default ?? input.choices?.[0] ?? byFormat[input.format ?? 'string']]),
  );

const byFormat = { string: 'placeholder', number: '1', boolean: 'false', filepath: 'placeholder' } as const;
