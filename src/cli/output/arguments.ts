/** The arguments of a tool: as a signature such as `add(a: number, b?: number)`, and as the rows of a table. */
import type { FormField } from '../../json-schema/form-plan.ts';
import type { Definition } from './definition-list.ts';
import { cut, maxPadded, oneLine } from './table.ts';

/** What is longer is left to `--json`: a server may list any number of arguments. */
const maxArguments = 20;
const maxRows = 200;
const maxLevels = 5;
/** Longer lists of values stand in the description of an argument. */
const maxTypeChars = 30;

/** `name(a: type, b?: type)`. */
export function signatureOf(name: string, form: FormField): string {
  if (form.kind !== 'object') return `${oneLine(name)}(…)`;
  const fields = form.fields();
  const shown = fields.slice(0, maxArguments).map((field) => `${nameOf(field)}: ${typeOf(field)}`);
  const hasMore = fields.length > maxArguments || form.more !== undefined;
  return `${oneLine(name)}(${[...shown, ...(hasMore ? ['…'] : [])].join(', ')})`;
}

/** As in TypeScript: a question mark says that it can be left out. */
const nameOf = ({ name, isRequired }: FormField): string => `${oneLine(name)}${isRequired ? '' : '?'}`;

function typeOf(field: FormField): string {
  const type = plainType(field);
  return field.isNullable && type !== 'any' ? `${type}|null` : type;
}

function plainType(field: FormField): string {
  switch (field.kind) {
    case 'text':
      return 'string';
    case 'number':
      return field.isInteger ? 'integer' : 'number';
    case 'fixed':
      return short(JSON.stringify(field.value)) ?? 'fixed';
    case 'choice':
      return short(valuesOf(field.choices, '|')) ?? 'choice';
    case 'choices':
      return `(${short(valuesOf(field.choices, '|')) ?? 'choice'})[]`;
    case 'union':
      return short(field.options.map(({ label }) => oneLine(label)).join('|')) ?? 'any';
    case 'list':
      return field.item.kind === 'list' ? 'any[]' : `${typeOf(field.item)}[]`;
    case 'json':
      return 'any';
    default:
      return field.kind;
  }
}

const short = (type: string): string | undefined => (type.length <= maxTypeChars ? type : undefined);

const valuesOf = (choices: readonly { readonly value: unknown }[], between: string): string =>
  choices.map(({ value }) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))).join(between);

/** A row for each argument, and below it for each field inside: `where.lat`, `rows[].name`. */
export function argumentRows(form: FormField): Definition[] {
  const rows: Row[] = [];
  addRows(form, '', 0, rows);
  const width = Math.min(
    maxPadded,
    rows.reduce((widest, { name }) => Math.max(widest, name.length), 0),
  );
  const shown = rows
    .slice(0, maxRows)
    .map(({ name, type, about }) => [`${name.padEnd(width)}  ${type}`, about] as const);
  return rows.length > maxRows ? [...shown, ['…', 'The rest is in --json.']] : shown;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

function addRows(form: FormField, path: string, level: number, rows: Row[]): void {
  const inner = form.kind === 'list' ? form.item : form;
  if (inner.kind !== 'object' || level === maxLevels) return;
  const place = form.kind === 'list' ? `${path}[]` : path;
  for (const field of inner.fields()) {
    if (rows.length > maxRows) return;
    const name = `${place}${place === '' ? '' : '.'}${cut(oneLine(field.name), maxPadded)}`;
    rows.push({ name: `${name}${field.isRequired ? '' : '?'}`, type: typeOf(field), about: aboutOf(field) });
    addRows(field, name, level + 1, rows);
  }
}

/** The description, and what a value has to be. */
function aboutOf(field: FormField): string {
  const bounds = boundsOf(field);
  const suggested = field.suggested === undefined ? [] : [`default ${JSON.stringify(field.suggested)}`];
  const notes = [...(field.isDeprecated ? ['deprecated'] : []), ...bounds, ...suggested].join(', ');
  const text = oneLine(field.description ?? '');
  return [text, notes === '' || text === '' ? notes : `(${notes})`].filter((one) => one !== '').join(' ');
}

function boundsOf(field: FormField): string[] {
  switch (field.kind) {
    case 'number':
      return rangeOf(field.minimum, field.maximum, '');
    case 'text':
      return [
        ...(field.format === undefined ? [] : [field.format]),
        ...rangeOf(field.minLength, field.maxLength, ' characters'),
      ];
    case 'list':
      return rangeOf(field.minItems, field.maxItems, ' items');
    case 'choice':
    case 'choices':
      return short(valuesOf(field.choices, '|')) === undefined ? [`one of ${valuesOf(field.choices, ', ')}`] : [];
    default:
      return [];
  }
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least === undefined) return most === undefined ? [] : [`at most ${most}${unit}`];
  return [most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`];
}
