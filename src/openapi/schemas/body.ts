/** The body of an operation: its media type, and how it is an argument. */
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { entriesOf, type ReadDocument, resolved, textOf, Unusable } from '../document/document.ts';
import { isJsonType } from './parameters.ts';

export type BodyKind = 'json' | 'form' | 'multipart' | 'bytes' | 'text';

export interface Body {
  readonly mediaType: string;
  readonly kind: BodyKind;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: unknown;
  /** Properties of a multipart body that are files. Their values are Base64. */
  readonly files: ReadonlySet<string>;
  /** Properties of a form whose objects are written as `name[key]=value`. */
  readonly deepObjects: ReadonlySet<string>;
}

/** In the order in which they are preferred. */
const kinds: readonly (readonly [kind: BodyKind, is: (mediaType: string) => boolean])[] = [
  ['json', isJsonType],
  ['form', (type) => /^application\/x-www-form-urlencoded\b/i.test(type)],
  ['multipart', (type) => /^multipart\/form-data\b/i.test(type)],
  ['bytes', (type) => /^(?:application\/(?:octet-stream|zip|gzip|pdf)|image\/|audio\/|video\/|\*\/\*)/i.test(type)],
  ['text', (type) => /^text\//i.test(type)],
];

export function bodyOf(document: ReadDocument, given: unknown): Body | undefined {
  if (given === undefined) return undefined;
  const source = resolved(document, given);
  const contents = entriesOf(source.content);
  if (contents.length === 0) return undefined;
  for (const [kind, is] of kinds) {
    const found = contents.find(([mediaType]) => is(mediaType));
    if (found === undefined) continue;
    const [mediaType, content] = found;
    const { schema = {}, encoding } = isRecord(content) ? content : {};
    const own = { isRequired: source.required === true, description: textOf(source.description) };
    const shape = { files: filesIn(document, kind, schema), deepObjects: deepObjectsIn(encoding) };
    // `image/*` is a range, not a type.
    return {
      mediaType: mediaType.includes('*') ? 'application/octet-stream' : mediaType,
      kind,
      ...own,
      schema,
      ...shape,
    };
  }
  throw new Unusable(`its body is ${contents.map(([type]) => type).join(' or ')}, which is not supported`);
}

function filesIn(document: ReadDocument, kind: BodyKind, schema: unknown): Set<string> {
  if (kind !== 'multipart' || !isRecord(schema)) return new Set();
  const properties = entriesOf(resolved(document, schema).properties);
  return new Set(properties.filter(([, one]) => isFile(document, one)).map(([name]) => name));
}

/** By OpenAPI 3.0 `format: binary`, by 3.1 a media type or an encoding of the content. */
function isFile(document: ReadDocument, given: unknown): boolean {
  if (!isRecord(given)) return false;
  let schema: Fields = resolved(document, given);
  // A list of lists is no file, and a list may be an item of itself.
  if (schema.type === 'array') schema = isRecord(schema.items) ? resolved(document, schema.items) : {};
  return schema.format === 'binary' || schema.contentMediaType !== undefined || schema.contentEncoding === 'base64';
}

const deepObjectsIn = (encoding: unknown): Set<string> =>
  new Set(entriesOf(encoding).flatMap(([name, one]) => (isRecord(one) && one.style === 'deepObject' ? name : [])));
