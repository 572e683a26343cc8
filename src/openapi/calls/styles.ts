/** Writes the values of parameters in the styles of OpenAPI. What comes out is encoded. */

import { isRecord } from '../../lib/values/is.ts';
import { ToolError } from '../../server/definition/tool-error.ts';
import type { Parameter, Style } from '../schemas/parameters.ts';

type Written = Pick<Parameter, 'name' | 'style' | 'explode' | 'isJson'>;

/** One value as text; objects and lists inside of others as JSON. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

export function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ToolError('An argument has half of a Unicode character.');
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const separators: Readonly<Partial<Record<Style, string>>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** The parts of a query, such as `tag=a`. */
export function queryParts({ name, style, explode, isJson }: Written, value: unknown): string[] {
  if (isAbsent(value)) return [];
  const pair = (key: string, one: unknown): string => `${encoded(key)}=${encoded(plainText(one))}`;
  if (isJson || typeof value !== 'object') return [pair(name, value)];
  if (style === 'deepObject') return deepParts(name, value);
  const separator = separators[style] ?? ',';
  if (Array.isArray(value)) {
    if (explode) return value.map((one) => pair(name, one));
    return [`${encoded(name)}=${value.map((one) => encoded(plainText(one))).join(separator)}`];
  }
  const members = Object.entries(value as object).filter(([, one]) => !isAbsent(one));
  if (explode) return members.map(([key, one]) => pair(key, one));
  return [
    `${encoded(name)}=${members.flatMap(([key, one]) => [encoded(key), encoded(plainText(one))]).join(separator)}`,
  ];
}

/** `filter[name]=x`, and objects below it the same way. */
export function deepParts(name: string, value: unknown): string[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value))
    return value.flatMap((one, at) => deepParts(isRecord(one) ? `${name}[${at}]` : `${name}[]`, one));
  if (isRecord(value)) return Object.entries(value).flatMap(([key, one]) => deepParts(`${name}[${key}]`, one));
  return [`${encoded(name)}=${encoded(plainText(value))}`];
}

/** The text that takes the place of `{name}` in a path. */
export function pathText({ name, style, explode, isJson }: Written, value: unknown): string {
  const isList = Array.isArray(value) && !isJson;
  const isObject = isRecord(value) && !isJson;
  const parts = (equals: string): string[] =>
    isList
      ? value.map((one) => segment(name, one))
      : isObject
        ? Object.entries(value).map(([key, one]) => `${segment(name, key)}${equals}${segment(name, one)}`)
        : [segment(name, value)];
  const joined = parts(explode ? '=' : ',');
  if (style === 'label') return `.${joined.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return joined.join(',');
  if (explode && isList) return joined.map((one) => `;${encoded(name)}=${one}`).join('');
  return explode && isObject ? `;${joined.join(';')}` : `;${encoded(name)}=${joined.join(',')}`;
}

const controls = /\p{Cc}/u;

/** A value of a path stays one segment: `..`, also encoded, would reach another operation. */
function segment(name: string, value: unknown): string {
  const text = plainText(value);
  const readings = [text, decoded(text), decoded(decoded(text))];
  const climbs = readings.some((one) => one.split(/[/\\]/).some((part) => /^\.{1,2}(?:;.*)?$/s.test(part)));
  if (isAbsent(value) || text === '' || climbs || readings.some((one) => controls.test(one)))
    throw new ToolError(`The argument ${name} cannot be a part of a path: it must not be empty, "." or "..".`);
  return encoded(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a header. */
export function headerText({ name, explode, isJson }: Written, value: unknown): string {
  const members = isRecord(value) && !isJson ? Object.entries(value) : undefined;
  const text = members
    ? members.map(([key, one]) => `${key}${explode ? '=' : ','}${plainText(one)}`).join(',')
    : Array.isArray(value) && !isJson
      ? value.map(plainText).join(',')
      : plainText(value);
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new ToolError(`The argument ${name} cannot be a header: only visible ASCII characters are allowed.`);
  return text;
}
