/** The parameters of an operation: which are arguments, by which names, and how each is written. */
import { shown } from '../../lib/text/shown.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { entriesOf, type ReadDocument, resolved, textOf, Unusable } from '../document/document.ts';

export type Place = 'path' | 'query' | 'header';
const styles = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
} as const;
export type Style = (typeof styles)[Place][number];

export interface Parameter {
  /** Its name in the API. */
  readonly name: string;
  /** Its name among the arguments of the tool. */
  readonly argument: string;
  readonly in: Place;
  readonly style: Style;
  readonly explode: boolean;
  /** Whether the value is written as JSON. */
  readonly isJson: boolean;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: unknown;
}

/** Headers of the connection, of the message and of credentials: a model never writes them. */
const ownHeaders = new Set(
  'host authorization proxy-authorization cookie set-cookie content-length content-type content-encoding accept accept-encoding connection keep-alive transfer-encoding te trailer upgrade expect origin referer forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip'.split(
    ' ',
  ),
);

/** Fields that are set by options or carry credentials. */
export interface OwnFields {
  readonly header: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
}

/**
 * Parameters of an operation, those of its path included.
 * @limit OpenAPI
 * @beyond the operation is left out
 */
const maxParameters = 1000;

export function parametersOf(document: ReadDocument, given: readonly unknown[], own: OwnFields): readonly Parameter[] {
  if (given.length > maxParameters) throw new Unusable(`it has more than ${maxParameters} parameters`);
  const byPlace = new Map<string, Fields>();
  for (const one of given) {
    const source = resolved(document, one);
    byPlace.set(JSON.stringify([source.in, source.name]), source);
  }
  const sources = [...byPlace.values()].filter((source) => isArgument(source, own));
  const counts = new Map<string, number>();
  for (const { name } of sources) counts.set(textOf(name), (counts.get(textOf(name)) ?? 0) + 1);
  const parameters = sources.map((source) => readParameter(source, counts.get(textOf(source.name)) === 1));
  if (new Set(parameters.map(({ argument }) => argument)).size < parameters.length)
    throw new Unusable('two of its parameters would have one name');
  return parameters;
}

function isArgument({ in: place, name, required }: Fields, own: OwnFields): boolean {
  const text = textOf(name);
  if (text === '' || text === '__proto__') throw new Unusable('a parameter has no usable name');
  if (place === 'cookie') {
    if (required === true) throw new Unusable(`it needs the cookie ${shown(text)}`);
    return false;
  }
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw new Unusable(`its parameter ${shown(text)} has no place`);
  if (place === 'header') {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) throw new Unusable(`the header ${shown(text)} has no valid name`);
    return !(ownHeaders.has(text.toLowerCase()) || own.header.has(text.toLowerCase()));
  }
  return place === 'path' || !own.query.has(text);
}

function readParameter(source: Fields, isAlone: boolean): Parameter {
  const place = source.in as Place;
  const name = textOf(source.name);
  const style = (source.style ?? styles[place][0]) as Style;
  if (!(styles[place] as readonly Style[]).includes(style))
    throw new Unusable(`its parameter ${shown(name)} has a style that is not supported`);
  const [content] = entriesOf(source.content);
  const isJson = content !== undefined;
  if (isJson && !isJsonType(content[0])) throw new Unusable(`its parameter ${shown(name)} is not JSON`);
  return {
    name,
    argument: isAlone && name !== 'body' ? name : `${place}_${name}`,
    in: place,
    style,
    explode: typeof source.explode === 'boolean' ? source.explode : style === 'form',
    isJson,
    isRequired: source.required === true || place === 'path',
    description: textOf(source.description),
    schema: (isJson ? isRecord(content[1]) && content[1].schema : source.schema) || {},
  };
}

/** `application/json`, `application/problem+json; charset=utf-8`. */
export const isJsonType = (mediaType: string): boolean =>
  /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i.test(mediaType.trim());
