/** The values of a form: initial values, conversion from text, and validation. */
import { isJsonObject } from '../analysis/snapshot.ts';
import type { ChoiceField, ChoicesField, FormField, ListField, NumberField, ObjectField, TextField } from './field.ts';
import { isSame } from './flat-schema.ts';
import { formatProblem } from './formats.ts';

/** A problem at one place of a value. */
export interface FormProblem {
  readonly path: readonly (string | number)[];
  /** What is expected, such as "expected a number". */
  readonly message: string;
}

/** The value a form begins with: suggested and fixed values, and the objects that hold them; `undefined` if there are none. */
export function initialValue(field: FormField): unknown {
  // An absent field has the value `null` that is suggested for it.
  if (field.suggested !== undefined && (field.suggested !== null || field.isRequired)) return field.suggested;
  if (field.kind === 'fixed') return field.isRequired ? field.value : undefined;
  if (field.kind !== 'object' || !field.isRequired) return undefined;
  const entries = field.fields().map((inner) => [inner.name, initialValue(inner)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The value of a text that was typed for a field of any kind: as it is for texts, and as JSON or a label for others. */
export function readText(field: FormField, text: string): { readonly value: unknown } | { readonly problem: string } {
  const read = valueIn(field, text);
  if (read === undefined) return { problem: expectation(field) };
  const [problem] = checkValue(field, read.value);
  return problem === undefined ? read : { problem: shownProblem(problem) };
}

function valueIn(field: FormField, text: string): { readonly value: unknown } | undefined {
  if (field.kind === 'text') return { value: text };
  if (field.isNullable && text.trim() === 'null') return { value: null };
  if (field.kind === 'number') {
    const value = Number(text);
    return text.trim() === '' || !Number.isFinite(value) ? undefined : { value };
  }
  const choice =
    field.kind === 'choice' ? field.choices.find(({ label, value }) => label === text || value === text) : undefined;
  if (choice !== undefined) return { value: choice.value };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A value as it is shown in a text input, so that `readText` reads the same value. */
export const shownText = (field: FormField, value: unknown): string => {
  if (value === undefined) return '';
  return field.kind === 'text' && typeof value === 'string' ? value : JSON.stringify(value);
};

const shownProblem = ({ path, message }: FormProblem): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

/** The problems of a value, by place. The server checks patterns and conditions. */
export function checkValue(field: FormField, value: unknown): readonly FormProblem[] {
  if (value === null && field.isNullable) return [];
  switch (field.kind) {
    case 'text':
      return problemHere(textProblem(field, value));
    case 'number':
      return problemHere(numberProblem(field, value));
    case 'boolean':
      return problemHere(typeof value === 'boolean' ? undefined : expectation(field));
    case 'fixed':
      return problemHere(isSame(value, field.value) ? undefined : `expected ${JSON.stringify(field.value)}`);
    case 'choice':
      return problemHere(hasChoice(field, value) ? undefined : expectation(field));
    case 'choices':
      return problemHere(choicesProblem(field, value));
    case 'object':
      return isJsonObject(value) ? objectProblems(field, value) : problemHere(expectation(field));
    case 'list':
      return Array.isArray(value) ? listProblems(field, value) : problemHere(expectation(field));
    case 'union':
      return bestOption(field.options.map((option) => checkValue(option.field(), value))).problems;
    case 'json':
      return problemHere(value === undefined ? expectation(field) : undefined);
  }
}

/** The place of the option that a value fits best; 0 if it fits none better than another. */
export function optionOf(field: FormField & { readonly kind: 'union' }, value: unknown): number {
  return bestOption(field.options.map((option) => checkValue(option.field(), value))).place;
}

/** The fewest problems; a value of another type has one at its root, and counts as the worst. */
function bestOption(found: readonly (readonly FormProblem[])[]): { place: number; problems: readonly FormProblem[] } {
  const weights = found.map((problems) =>
    problems.some(({ path }) => path.length === 0) ? Number.MAX_SAFE_INTEGER : problems.length,
  );
  const place = weights.indexOf(Math.min(...weights));
  return { place: Math.max(place, 0), problems: found[place] ?? [] };
}

const problemHere = (message: string | undefined): readonly FormProblem[] =>
  message === undefined ? [] : [{ path: [], message }];

const below = (place: string | number, problems: readonly FormProblem[]): FormProblem[] =>
  problems.map(({ path, message }) => ({ path: [place, ...path], message }));

function expectation(field: FormField): string {
  switch (field.kind) {
    case 'text':
      return 'expected text';
    case 'number':
      return field.isInteger ? 'expected a whole number' : 'expected a number';
    case 'boolean':
      return 'expected true or false';
    case 'choice':
    case 'choices':
      return `expected ${field.kind === 'choice' ? 'one' : 'some'} of ${field.choices.map(({ label }) => label).join(', ')}`;
    case 'object':
      return 'expected an object';
    case 'list':
      return 'expected a list';
    default:
      return 'expected JSON';
  }
}

function textProblem(field: TextField, value: unknown): string | undefined {
  if (typeof value !== 'string') return expectation(field);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = field;
  const length = [...value].length;
  if (length < minLength) return `expected at least ${minLength} characters`;
  if (length > maxLength) return `expected at most ${maxLength} characters`;
  return formatProblem(format, value);
}

function numberProblem(field: NumberField, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return expectation(field);
  if (field.isInteger && !Number.isInteger(value)) return expectation(field);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (minimum !== undefined && value < minimum) return `expected at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `expected at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `expected more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `expected less than ${exclusiveMaximum}`;
  // 0.3 is no exact multiple of 0.1 in binary.
  const times = multipleOf === undefined ? 0 : value / multipleOf;
  return Math.abs(times - Math.round(times)) > 1e-9 ? `expected a multiple of ${multipleOf}` : undefined;
}

const hasChoice = ({ choices }: ChoiceField | ChoicesField, value: unknown): boolean =>
  choices.some((choice) => isSame(choice.value, value));

function choicesProblem(field: ChoicesField, value: unknown): string | undefined {
  const choices = new Set(field.choices.map((choice) => JSON.stringify(choice.value)));
  if (!Array.isArray(value) || !value.every((one) => choices.has(JSON.stringify(one)))) return expectation(field);
  return sizeProblem(field, value.length);
}

function sizeProblem({ minItems, maxItems }: ChoicesField | ListField, size: number): string | undefined {
  if (minItems !== undefined && size < minItems) return `expected at least ${minItems}`;
  return maxItems !== undefined && size > maxItems ? `expected at most ${maxItems}` : undefined;
}

function listProblems(field: ListField, values: readonly unknown[]): FormProblem[] {
  const size = sizeProblem(field, values.length);
  const isRepeated = field.isUnique && new Set(values.map((value) => JSON.stringify(value))).size < values.length;
  return [
    ...problemHere(size ?? (isRepeated ? 'expected no value twice' : undefined)),
    ...values.flatMap((value, place) => below(place, checkValue(field.item, value))),
  ];
}

function objectProblems(field: ObjectField, value: Readonly<Record<string, unknown>>): FormProblem[] {
  const known = field.fields();
  const problems = known.flatMap((inner) => {
    const present = Object.hasOwn(value, inner.name) ? value[inner.name] : undefined;
    if (present !== undefined) return below(inner.name, checkValue(inner, present));
    return inner.isRequired ? [{ path: [inner.name], message: 'is required' }] : [];
  });
  const more = field.more?.();
  if (more === undefined) return problems;
  const names = new Set(known.map(({ name }) => name));
  const further = Object.keys(value).filter((name) => !names.has(name));
  return [...problems, ...further.flatMap((name) => below(name, checkValue(more, value[name])))];
}
