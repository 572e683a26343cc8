/** Which credentials an operation needs, and where each is sent. */
import { shown } from '../../lib/text/shown.ts';
import { isRecord } from '../../lib/values/is.ts';
import { entriesOf, listOf, type ReadDocument, resolved, textOf, Unusable } from '../document/document.ts';

/** A security scheme, reduced to where its credential is sent. */
export interface Scheme {
  readonly name: string;
  readonly sent: 'bearer' | 'basic' | 'header' | 'query';
  /** The header or query parameter. */
  readonly field: string;
}

/** The security schemes of the document by name. */
export const schemesOf = ({ root }: ReadDocument): ReadonlyMap<string, unknown> =>
  new Map(isRecord(root.components) ? entriesOf(root.components.securitySchemes) : []);

/** Where the credentials of an operation are sent, and the scopes that the document names for it. */
export interface Needs {
  readonly schemes: readonly Scheme[];
  readonly scopes: readonly string[];
}

/**
 * Ways to authorize an operation.
 * @limit OpenAPI
 * @beyond the operation is left out
 */
const maxWays = 100;

/**
 * The needs of the first way to authorize an operation for which all credentials are set. Without `has` they are not sent by
 * schemes. Throws `Unusable` if there is no such way.
 */
export function needsOf(
  document: ReadDocument,
  security: unknown,
  has: ((scheme: string) => boolean) | undefined,
): Needs {
  const ways = listOf(security);
  const scopesIn = (way: unknown): string[] => entriesOf(way).flatMap(([, scopes]) => textsIn(scopes));
  if (ways.length > maxWays) throw new Unusable(`it has more than ${maxWays} ways to authorize`);
  if (ways.length === 0 || has === undefined) return { schemes: [], scopes: scopesIn(ways[0]) };
  const missing = new Set<string>();
  // A way without schemes means that credentials are optional: they are sent if there are any.
  for (const way of ways.toSorted((a, b) => Number(entriesOf(a).length === 0) - Number(entriesOf(b).length === 0))) {
    const names = entriesOf(way).map(([name]) => name);
    const unset = names.filter((name) => !has(name));
    if (unset.length === 0) return { schemes: names.map((name) => schemeOf(document, name)), scopes: scopesIn(way) };
    for (const name of unset) missing.add(shown(name));
  }
  throw new Unusable(`it needs credentials: set auth for ${[...missing].join(' or ')}`);
}

const textsIn = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string');

function schemeOf(document: ReadDocument, name: string): Scheme {
  const { type, scheme, in: place, name: field } = resolved(document, schemesOf(document).get(name));
  const http = type === 'http' ? textOf(scheme).toLowerCase() : undefined;
  if (http === 'basic') return { name, sent: 'basic', field: 'authorization' };
  if (http === 'bearer' || type === 'oauth2' || type === 'openIdConnect')
    return { name, sent: 'bearer', field: 'authorization' };
  if (type === 'apiKey' && (place === 'header' || place === 'query') && textOf(field) !== '')
    return { name, sent: place, field: place === 'header' ? textOf(field).toLowerCase() : textOf(field) };
  throw new Unusable(`its security scheme ${shown(name)} is not supported: use a function as auth`);
}

/** The parameters that carry credentials in this API. They are never arguments. */
export function credentialFields(document: ReadDocument): {
  readonly header: Set<string>;
  readonly query: Set<string>;
} {
  const fields = { header: new Set<string>(), query: new Set<string>() };
  for (const [, given] of schemesOf(document)) {
    if (!isRecord(given) || given.type !== 'apiKey') continue;
    if (given.in === 'header') fields.header.add(textOf(given.name).toLowerCase());
    if (given.in === 'query') fields.query.add(textOf(given.name));
  }
  return fields;
}
