/** An OpenAPI document: its version, its references and the errors about it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shown } from '../../lib/text/shown.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';

/** An OpenAPI 3.0 or 3.1 document: what `loadOpenApi()` resolves with, or one of your own. */
export interface OpenApiDocument {
  /** Its version of OpenAPI, such as `3.1.0`. */
  readonly openapi: string;
  /** The name and version of the API. */
  readonly info: {
    /** The name of the API, for users. */
    readonly title: string;
    /** The version of the API. */
    readonly version: string;
  };
}

/** A document that was checked, with its rules for schemas. */
export interface ReadDocument {
  readonly root: Fields;
  /** OpenAPI 3.0 has schemas of its own; those of 3.1 are JSON Schema 2020-12. */
  readonly is30: boolean;
}

/** The error for a document that cannot be used. */
export const invalidDocument = (message: string, hint: string, details: Fields = {}): TenonError =>
  new TenonError('invalid-openapi', message, { hint, details });

export function readDocument(document: unknown): ReadDocument {
  if (!isRecord(document))
    throw invalidDocument('The OpenAPI document is not an object.', 'Pass the parsed document, or use loadOpenApi().');
  if (document.swagger !== undefined)
    throw invalidDocument(
      'Swagger 2.0 is not supported.',
      'Convert the document to OpenAPI 3, for example with swagger2openapi.',
    );
  const version = document.openapi;
  if (typeof version !== 'string' || !/^3\.[01]\.\d/.test(version))
    throw invalidDocument(
      version === undefined
        ? 'The document has no field "openapi".'
        : `The version ${shown(String(version))} is not supported.`,
      'Write a document of OpenAPI 3.0 or 3.1.',
    );
  return { root: document, is30: version.startsWith('3.0') };
}

/** What makes one operation unusable. The rest of the document is served. */
export class Unusable extends Error {}

/**
 * References that may follow each other.
 * @limit OpenAPI
 * @beyond the operation is left out
 */
const maxChain = 20;

/** The object that `value` is or refers to. Throws `Unusable` for references that lead nowhere. */
export function resolved({ root }: ReadDocument, value: unknown): Fields {
  let found = value;
  for (let n = 0; n < maxChain; n++) {
    if (!isRecord(found)) throw new Unusable('a part of it is not an object');
    if (typeof found.$ref !== 'string') return found;
    found = atPointer(root, found.$ref);
  }
  throw new Unusable('its references refer to each other');
}

/** The value at a reference such as `#/components/schemas/Pet`. */
export function atPointer(root: Fields, reference: string): unknown {
  if (!reference.startsWith('#'))
    throw new Unusable(
      `the reference ${shown(reference)} leads out of the document, which loadOpenApi() was not asked for`,
    );
  let found: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key))
      throw new Unusable(`the reference ${shown(reference)} leads nowhere`);
    found = (found as Fields)[key];
  }
  if (!reference.startsWith('#/')) throw new Unusable(`the reference ${shown(reference)} is not a JSON pointer`);
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The members of an object, or none. */
export const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
