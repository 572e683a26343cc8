/** The arguments of a call as they were typed: `k=v`, `k:=JSON`, or one JSON object; types come from the schema. */

import { nearestName } from '../../lib/text/nearest-name.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { usageError } from '../usage-error.ts';

export interface TypedWords {
  readonly words: readonly string[];
  /** The value of `--args`. */
  readonly json?: string | undefined;
}

export function callArguments({ words, json }: TypedWords, schema: unknown): Fields {
  const given: Fields = json === undefined ? {} : objectIn(json, '--args');
  const [first = ''] = words;
  if (words.length === 1 && first.trim().startsWith('{')) return { ...given, ...objectIn(first, 'The argument') };
  for (const word of words) {
    const [path, value] = fieldIn(word, schema);
    setAt(given, path, value);
  }
  return given;
}

/** `what` names the text in errors. */
export function objectIn(text: string, what: string): Fields {
  const value = jsonIn(text, what);
  if (isRecord(value)) return { ...value };
  throw usageError(`${what} is not a JSON object.`, `Write {"name": "value"}.`);
}

function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(
      `${what} is not JSON: ${(error as Error).message}.`,
      'Put it in single quotes, so that the shell leaves it.',
    );
  }
}

/** `a.b=1` sets a field of an object. */
function fieldIn(word: string, schema: unknown): readonly [readonly string[], unknown] {
  const [, name, colon, text] = /^([^=:]+?)(:)?=(.*)$/s.exec(word) ?? [];
  if (name === undefined || text === undefined)
    throw usageError(`${JSON.stringify(word)} is not an argument.`, 'Write name=value, or name:=JSON.');
  const path = name.split('.');
  checkKnown(path, schema);
  return [path, colon === undefined ? byType(text, schemaAt(schema, path), name) : jsonIn(text, name)];
}

/** A misspelt name would be sent, and most servers would only answer that the right one is missing. */
function checkKnown(path: readonly string[], schema: unknown): void {
  let here = schema;
  for (const [at, name] of path.entries()) {
    if (!isRecord(here) || !isRecord(here.properties) || isOpen(here)) return;
    const known = Object.keys(here.properties);
    const meant = known.includes(name) ? undefined : nearestName(name, known);
    if (meant !== undefined)
      throw usageError(
        `There is no argument ${path.slice(0, at + 1).join('.')}.`,
        `Did you mean ${[...path.slice(0, at), meant].join('.')}? Any name can be sent with --args.`,
      );
    here = here.properties[name];
  }
}

/** Whether a schema says that it takes other names. */
const isOpen = ({ additionalProperties, patternProperties }: Fields): boolean =>
  patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);

function setAt(target: Fields, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (name === '__proto__') throw usageError('__proto__ cannot be set.', 'Choose another name.');
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = isRecord(target[name]) ? { ...target[name] } : {};
  target[name] = inner;
  setAt(inner, rest, value);
}

/** The schema of a nested field; undefined if `properties` does not list it. */
function schemaAt(schema: unknown, path: readonly string[]): unknown {
  let here: unknown = schema;
  for (const name of path) {
    const properties = isRecord(here) && isRecord(here.properties) ? here.properties : {};
    here = properties[name];
  }
  return here;
}

const typesOf = (schema: unknown): readonly string[] =>
  isRecord(schema) ? [schema.type ?? []].flat().map(String) : [];

/** Converts a text to the type of the schema. */
function byType(text: string, schema: unknown, name: string): unknown {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (types.includes('null') && text === 'null') return null;
  if (types.includes('array')) return listIn(text, schema, name);
  if (types.includes('object')) return objectOf(text, name);
  throw usageError(
    `${name} cannot be ${JSON.stringify(text)}: it must be ${types.join(' or ')}.`,
    `Write ${name}:=JSON for any other value.`,
  );
}

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** `tags=a,b` is a list; each of its items is read by the type that the schema has for them. */
function listIn(text: string, schema: unknown, name: string): unknown {
  if (isJson(text)) return jsonIn(text, name);
  const items = isRecord(schema) ? schema.items : undefined;
  return text === '' ? [] : text.split(',').map((item) => byType(item, items, name));
}

function objectOf(text: string, name: string): unknown {
  if (isJson(text)) return jsonIn(text, name);
  throw usageError(`${name} must be an object.`, `Write ${name}:='{"…": …}'.`);
}
