/** Elicitation forms: validates the content a user submitted, and fills in defaults. */
import { isUrl } from '../lib/text/parse-url.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import type { RequestedSchema } from './generated/types/records.ts';

/** The first thing wrong with the content of an accepted form, as `field: what is expected`. */
export function formProblem(schema: RequestedSchema, content: unknown): string | undefined {
  if (!isRecord(content)) return 'content: expected an object';
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(content, name) || content[name] === undefined) return `${name}: is required`;
  }
  for (const [name, field] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(content, name) || content[name] === undefined) continue;
    const problem = fieldProblem({ ...field }, content[name]);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

/** The content with the defaults of fields that were left out. */
export function withFormDefaults(schema: RequestedSchema, content: Fields): Fields {
  const filled = { ...content };
  for (const [name, field] of Object.entries(schema.properties)) {
    const { default: fallback }: Fields = { ...field };
    if (filled[name] === undefined && fallback !== undefined) filled[name] = fallback;
  }
  return filled;
}

function fieldProblem(field: Fields, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'expected true or false';
    case 'number':
    case 'integer':
      return numberProblem(field, value);
    case 'array':
      return choicesProblem(field, value);
    default:
      return typeof value === 'string' ? textProblem(field, value) : 'expected text';
  }
}

function numberProblem({ type, minimum, maximum }: Fields, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'expected a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'expected a whole number';
  if (typeof minimum === 'number' && value < minimum) return `expected at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `expected at most ${maximum}`;
  return undefined;
}

function textProblem(field: Fields, value: string): string | undefined {
  const choices = choicesOf(field);
  if (choices !== undefined) return choices.includes(value) ? undefined : oneOf(choices);
  const length = [...value].length;
  if (typeof field.minLength === 'number' && length < field.minLength)
    return `expected at least ${field.minLength} characters`;
  if (typeof field.maxLength === 'number' && length > field.maxLength)
    return `expected at most ${field.maxLength} characters`;
  const fits = formats[String(field.format)];
  return fits === undefined || fits(value) ? undefined : `expected ${String(field.format)}`;
}

function choicesProblem(field: Fields, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'expected a list of choices';
  const choices = isRecord(field.items) ? (choicesOf(field.items) ?? []) : [];
  if (!value.every((choice) => choices.includes(choice))) return oneOf(choices);
  if (typeof field.minItems === 'number' && value.length < field.minItems)
    return `expected at least ${field.minItems} choices`;
  if (typeof field.maxItems === 'number' && value.length > field.maxItems)
    return `expected at most ${field.maxItems} choices`;
  return undefined;
}

function choicesOf(field: Fields): unknown[] | undefined {
  if (Array.isArray(field.enum)) return field.enum;
  const titled = field.oneOf ?? field.anyOf;
  return Array.isArray(titled) ? titled.map((choice) => (isRecord(choice) ? choice.const : undefined)) : undefined;
}

const oneOf = (choices: readonly unknown[]): string =>
  `expected one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;

/** The four formats a form may name. An address has something on both sides of its @ and no space. */
const formats: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => value.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => isUrl(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value),
  'date-time': (value) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
    isDay(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value)),
};

/** Date parsing reads the 30th of February as the 2nd of March, so the date is compared with the text. */
const isDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};
