/** The body of a response: its bytes, and the JSON-RPC error that it may contain. */
import type { ErrorObject } from '../../../jsonrpc/errors.ts';
import { hold, joined as joinedPieces } from '../../../lib/values/byte-pieces.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { defaultNumbers } from '../../../protocol/errors.ts';

/**
 * Bytes of a refusal (401, 403) that are read.
 * @limit credentials
 * @beyond the connection is closed, the refusal is answered
 */
export const maxRefusalBytes = 64 * 1024;

/** Most bodies come in one piece. */
export interface Collected {
  chunk: Uint8Array | undefined;
  more: Uint8Array[] | undefined;
  size: number;
}

export function collect(body: Collected, bytes: Uint8Array): void {
  body.size += bytes.length;
  if (body.chunk === undefined) body.chunk = bytes;
  else hold((body.more ??= []), bytes);
}

export function joined({ chunk, more, size }: Collected): Uint8Array {
  if (chunk === undefined) return new Uint8Array();
  return more === undefined ? chunk : joinedPieces([chunk, ...more], size);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Its text; `undefined` if it is not UTF-8. */
export function utf8In(body: Collected): string | undefined {
  try {
    return utf8.decode(joined(body));
  } catch {
    return undefined;
  }
}

/** Statuses that come from before the protocol: authentication, and gateways. */
const beforeProtocol: ReadonlySet<number> = new Set([401, 407]);

/** Statuses that may come from before the protocol, each with the error that only a server answers with. */
const ownErrors: ReadonlyMap<number, number> = new Map([
  [403, defaultNumbers['permission-denied']],
  [429, defaultNumbers['rate-limited']],
  [503, defaultNumbers['audit-unavailable']],
]);

/** The JSON-RPC error in an error response, if the server answered a call with it. Opening a connection is no call. */
export function answeredError(status: number, isOpening: boolean, body: string): ErrorObject | undefined {
  const own = ownErrors.get(status);
  if (own === undefined)
    return status < 400 || status >= 500 || beforeProtocol.has(status) ? undefined : rpcErrorIn(body);
  const error = isOpening ? undefined : rpcErrorIn(body);
  return error?.code === own ? error : undefined;
}

/** The error of a JSON-RPC answer with any id: the response belongs to one request. */
export function rpcErrorIn(body: string): ErrorObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = isRecord(value) && value.jsonrpc === '2.0' ? value.error : undefined;
  if (!isRecord(error) || !Number.isInteger(error.code) || typeof error.message !== 'string') return undefined;
  return error as unknown as ErrorObject;
}
