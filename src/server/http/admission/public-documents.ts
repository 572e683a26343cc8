/** Documents that anyone may read, such as the metadata of a protected resource. They are served before anything else. */
import type { PublicDocument } from '../../ports/authenticate.ts';
import type { HttpHeaders, HttpResponder } from '../message.ts';

/** The options of an endpoint that have documents. */
interface Documented {
  readonly authenticate?: { readonly documents?: readonly PublicDocument[] };
}

/** The documents of an endpoint, as texts by their paths; `undefined` if there are none. */
export type Documents = ReadonlyMap<string, string>;

export function documentsOf({ authenticate }: Documented): Documents | undefined {
  const documents = authenticate?.documents ?? [];
  if (documents.length === 0) return undefined;
  return new Map(
    documents.flatMap(({ paths, content }) => paths.map((path) => [path, JSON.stringify(content)] as const)),
  );
}

/** Answers a request for a document; false if there is none at this path. */
export function serveDocument(documents: Documents, method: string, path: string, responder: HttpResponder): boolean {
  const text = documents.get(path);
  if (text === undefined) return false;
  if (method === 'GET' || method === 'HEAD') responder.send(200, documentHeaders, method === 'HEAD' ? '' : text);
  else if (method === 'OPTIONS') responder.send(204, preflight, '');
  else responder.send(405, { ...shared, allow: 'GET, HEAD, OPTIONS' }, '');
  return true;
}

const shared: HttpHeaders = { 'access-control-allow-origin': '*' };
const documentHeaders: HttpHeaders = {
  ...shared,
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
};
/** `mcp-protocol-version`: clients send it with every request. */
const preflight: HttpHeaders = {
  ...shared,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'accept, content-type, mcp-protocol-version',
  'access-control-max-age': '600',
};
