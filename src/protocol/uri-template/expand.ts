/** Expands a URI template with values (RFC 6570, section 3). */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { encodeReserved, encodeValue, firstCharacters } from './encoding.ts';
import { type Operator, operators, type TemplateExpression, type TemplateVariable, type UriTemplate } from './parse.ts';

/** What a variable may hold; unset, empty lists and empty records leave no trace. */
export type TemplateValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | undefined
  | null;

/** The URI a template gives for these values. A list or record under a prefix such as `{a:3}` is `invalid-outgoing-message`. */
export function expandTemplate(template: UriTemplate, values: Readonly<Record<string, TemplateValue>>): string {
  return template.parts
    .map((part) => (typeof part === 'string' ? part : expandExpression(part, template, values)))
    .join('');
}

function expandExpression(
  { operator, variables }: TemplateExpression,
  template: UriTemplate,
  values: Readonly<Record<string, TemplateValue>>,
): string {
  const pieces = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (typeof variable.modifier === 'number' && typeof value === 'object' && value !== null) {
      throw prefixedComposite(template, variable);
    }
    return expandVariable(variable, value, operator);
  });
  const { first, separator } = operators[operator];
  return pieces.length === 0 ? '' : first + pieces.join(separator);
}

/** The pieces a variable adds, which the operator's separator joins: none when it is unset, several when it explodes. */
function expandVariable({ name, modifier }: TemplateVariable, value: TemplateValue, operator: Operator): string[] {
  const { named, ifEmpty, reserved } = operators[operator];
  const encode = reserved ? encodeReserved : encodeValue;
  const pair = (key: string, text: string): string => (text === '' ? key + ifEmpty : `${key}=${text}`);
  const piece = (text: string): string => (named ? pair(name, text) : text);

  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') {
    const text = String(value);
    return [piece(encode(typeof modifier === 'number' ? firstCharacters(text, modifier, reserved) : text))];
  }
  if (isList(value)) {
    const items = value.map(encode);
    if (modifier === '*') return items.map(piece);
    return items.length === 0 ? [] : [piece(items.join(','))];
  }
  const entries = Object.entries(value).map(([key, held]) => [encode(key), encode(held)] as const);
  if (modifier === '*') return entries.map(([key, held]) => (named ? pair(key, held) : `${key}=${held}`));
  return entries.length === 0 ? [] : [piece(entries.flat().join(','))];
}

const isList = (value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] =>
  Array.isArray(value);

function prefixedComposite(template: UriTemplate, { name, modifier }: TemplateVariable): TenonError {
  return new TenonError(
    'invalid-outgoing-message',
    `The URI template variable '${name}:${modifier}' got a list or a record.`,
    {
      hint: 'A prefix works on text alone: give it a string.',
      details: { template: template.text, name },
    },
  );
}
