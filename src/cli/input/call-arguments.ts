/** The arguments of a call as they were typed: `k=v`, `k:=JSON`, or one JSON object; types come from the schema. */
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
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
  const [, name, isJson, text] = /^([^=:]+?)(:)?=(.*)$/s.exec(word) ?? [];
  if (name === undefined || text === undefined)
    throw usageError(`${JSON.stringify(word)} is not an argument.`, 'Write name=value, or name:=JSON.');
  const path = name.split('.');
  return [path, isJson === undefined ? byType(text, typeAt(schema, path), name) : jsonIn(text, name)];
}

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

/** The types that a schema allows at a place, as far as they are written there. */
function typeAt(schema: unknown, path: readonly string[]): readonly string[] {
  let here: unknown = schema;
  for (const name of path) {
    const properties = isRecord(here) && isRecord(here.properties) ? here.properties : {};
    here = properties[name];
  }
  return isRecord(here) ? [here.type ?? []].flat().map(String) : [];
}

/** A text, unless the schema wants something else and the text can be read as that. */
function byType(text: string, types: readonly string[], name: string): unknown {
  if (types.length === 0 || types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (types.includes('null') && text === 'null') return null;
  if (types.includes('object') || types.includes('array')) return listOrJson(text, types, name);
  throw usageError(
    `${name} cannot be ${JSON.stringify(text)}: it must be ${types.join(' or ')}.`,
    `Write ${name}:=JSON for any other value.`,
  );
}

/** `tags=a,b` is a list of texts. */
function listOrJson(text: string, types: readonly string[], name: string): unknown {
  if (/^\s*[[{]/.test(text)) return jsonIn(text, name);
  if (types.includes('array')) return text === '' ? [] : text.split(',');
  throw usageError(`${name} must be an object.`, `Write ${name}:='{"…": …}'.`);
}
