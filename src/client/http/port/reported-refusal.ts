/** Refusals that a server reports in a message, since its response has begun: they ask for credentials as a 401 or 403 does. */
import type { RequestId } from '../../../jsonrpc/message.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { defaultNumbers } from '../../../protocol/errors.ts';
import { rpcErrorIn } from './body.ts';

/** The credentials that a request lacks. */
export interface ReportedRefusal {
  /** 401 or 403: the status that it would have had. */
  readonly status: number;
  /** The scopes that the request needs, with spaces between them. */
  readonly scope: string;
}

const statuses: ReadonlyMap<number, number> = new Map([
  [defaultNumbers.unauthorized, 401],
  [defaultNumbers['insufficient-scope'], 403],
]);
/** Most messages are no such error, and are not parsed. */
const mayRefuse = new RegExp([...statuses.keys()].join('|'));
const maxChars = 64 * 1024;

/** Without scopes it may be the end of a call that has run, such as after a revocation: that must not be repeated. */
export function refusalIn(text: string, id: RequestId): ReportedRefusal | undefined {
  if (text.length > maxChars || !mayRefuse.test(text)) return undefined;
  const error = rpcErrorIn(text);
  const status = error && statuses.get(error.code);
  const scope = isRecord(error?.data) ? error.data.scope : undefined;
  if (status === undefined || typeof scope !== 'string' || !isScopes.test(scope)) return undefined;
  return (JSON.parse(text) as { id?: unknown }).id === id ? { status, scope } : undefined;
}

/** The characters of scopes (RFC 6749, 3.3), which need no escapes in a challenge. */
const isScopes = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;
