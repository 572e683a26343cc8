/** The response to a POST: its state, its content type, and redirects. */
import { isUrl } from '../../lib/text/parse-url.ts';
import type { EventReader } from '../../transport/sse.ts';
import type { Collected } from './port/body.ts';
import { addressOf, type HttpAddress, type HttpHeaders, headerOf } from './port/port.ts';

export type PostResponse =
  | { readonly as: 'pending' }
  | ({ readonly as: 'json' } & Collected)
  | ({ readonly as: 'unexpected'; readonly type: string | undefined } & Collected)
  | ({ readonly as: 'refusal'; readonly status: number; readonly headers: HttpHeaders } & Collected)
  | { readonly as: 'events'; readonly reader: EventReader; retryMs: number | undefined }
  | { readonly as: 'nothing' }
  | { readonly as: 'finished' };

/** The position from which a broken stream can be resumed. */
export interface ResumePoint {
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
}

/** The first requests of a connection, which have no side effects. */
export const openingMethods: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

export const pending: PostResponse = { as: 'pending' };
export const nothing: PostResponse = { as: 'nothing' };
export const finished: PostResponse = { as: 'finished' };

export const isJsonType = (type: string | undefined): boolean =>
  type !== undefined && (type.startsWith('application/json') || /^\s*application\/json/i.test(type));

export const isEventStreamType = (type: string | undefined): boolean =>
  type !== undefined && /^\s*text\/event-stream/i.test(type);

/**
 * Redirects of a request, to another path of the server.
 * @limit client
 * @beyond the request fails
 * @code redirect-not-followed
 */
export const maxHops = 3;

/** The target of a redirect, at the same origin only: headers may contain credentials. */
export function redirectWithin(address: HttpAddress, status: number, headers: HttpHeaders): HttpAddress | undefined {
  const location = status === 307 || status === 308 ? headerOf(headers, 'location') : undefined;
  if (location === undefined || !isUrl(location, address.href)) return undefined;
  const url = new URL(location, address.href);
  return url.origin === address.origin ? addressOf(url) : undefined;
}

/** Adds the headers of every POST. */
export function withBodyHeaders(headers: Record<string, string>): Record<string, string> {
  headers['content-type'] = 'application/json';
  headers.accept = 'application/json, text/event-stream';
  return headers;
}
