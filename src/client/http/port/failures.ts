/** The errors of failed HTTP requests, made from the table of failures. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError, type TenonErrorOptions } from '../../../lib/errors/tenon-error.ts';
import { excerpt as safeExcerpt } from '../../../lib/text/excerpt.ts';
import { shownAddress, shownTarget } from '../../../lib/text/shown-address.ts';
import { isCutOffData } from '../../../protocol/error-data.ts';
import { rpcErrorIn } from './body.ts';
import {
  badHeader,
  blockedPort,
  broken,
  byClass,
  byCode,
  byStatus,
  cutOff,
  hungUp,
  hungUpTls,
  notHttp,
  type Row,
  refusedToken,
  row,
  throughProxy,
  unknownStatus,
} from './failure-rows.ts';
import type { HttpAddress, HttpHeaders } from './port.ts';
import { headerOf } from './port.ts';

function failure({ code, text, hint }: Row, address: HttpAddress, more: TenonErrorOptions): TenonError {
  return new TenonError(code, `${shownTarget(address)} ${text}.`, {
    ...more,
    hint,
    details: { url: shownTarget(address), ...more.details },
  });
}

/** A response with an error status. `body` is the beginning of its body. `sentToken`: the request had `authorization`. */
export function statusFailure(
  address: HttpAddress,
  status: number,
  headers: HttpHeaders,
  body: string,
  sentToken = false,
): TenonError {
  // A JSON-RPC error along with 5xx is from the server itself.
  const answered = status >= 500 ? rpcErrorIn(body) : undefined;
  const cut = isCutOffData(answered?.data) ? cutOff : undefined;
  const challenge = headerOf(headers, 'www-authenticate');
  const known =
    status === 401 && sentToken ? refusedToken : (cut ?? notAllowed(status, body) ?? missingScopes(status, challenge));
  const found = known ?? byStatus[status] ?? byClass[Math.floor(status / 100)] ?? unknownStatus;
  const target = headerOf(headers, 'location');
  const location = target === undefined ? undefined : shownAddress(target);
  const shown = [`${status}`, location].filter((part) => part !== undefined).join(', ');
  const details: Record<string, unknown> = { status };
  if (location !== undefined) details.location = location;
  if (challenge !== undefined) details.wwwAuthenticate = challenge;
  const wait = retryAfterMs(headerOf(headers, 'retry-after'));
  if (wait !== undefined) details.retryAfterMs = wait;
  if (body !== '') details.body = excerpt(body);
  if (answered !== undefined) details.error = answered;
  return failure({ ...found, text: `${found.text} (${shown})` }, address, { details });
}

/** A server that names the scopes which a token needs. */
function missingScopes(status: number, challenge = ''): Row | undefined {
  const scopes = status === 403 && /insufficient_scope/.test(challenge) ? /\bscope="([^"]+)"/.exec(challenge)?.[1] : '';
  if (scopes === undefined || scopes === '') return undefined;
  const hint = 'Get a token with these scopes, or pass auth: oauth({ … }) of tenon/auth, which requests them.';
  return row('forbidden', `needs a token with the scopes ${excerpt(scopes)}`, hint);
}

/** A server that rejects the host or the origin of a request, and names the option that allows it: the token is not the reason. */
function notAllowed(status: number, body: string): Row | undefined {
  const message = status === 403 ? rpcErrorIn(body)?.message : undefined;
  const option = message === undefined ? undefined : /\ballowed(?:Hosts|Origins)\b/.exec(message)?.[0];
  if (message === undefined || option === undefined) return undefined;
  const hint = `Change the options of the server (${option}), or connect by an address that it allows.`;
  return row('forbidden', `does not allow this request: ${excerpt(message)}`, hint);
}

/** Seconds or a date, in milliseconds from now. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A response that is neither JSON nor an event stream. */
export function contentFailure(address: HttpAddress, type: string | undefined, body: string): TenonError {
  const isPage = /html/i.test(type ?? '') || /^\s*<(!doctype|html)/i.test(body);
  const text = isPage ? 'answered with a web page' : `answered with ${type ?? 'no content type'}, not with messages`;
  const found = row('unexpected-content', text, 'Check the path: most servers are at /mcp, older ones at /sse.');
  return failure(found, address, { details: { contentType: type, body: excerpt(body) } });
}

/** No response, or an incomplete one. */
export function networkFailure(address: HttpAddress, error: unknown, isOpening = false): TenonError {
  // An error from before the request was sent, such as a failed sign-in, needs no other text.
  if (error instanceof TenonError) return error;
  const cause = rootOf(error);
  const { code, name, message: fullMessage = '' } = cause as { code?: unknown; name?: string; message?: string };
  // Some runtimes include the full URL.
  const message = fullMessage.replaceAll(address.href, shownTarget(address));
  if (typeof code === 'string' && Object.hasOwn(byCode, code))
    return failure(byCode[code] as Row, address, { cause: error, details: { problem: code } });
  // The error of undici's HTTP parser.
  if (name === 'HTTPParserError') return failure(notHttp, address, { cause: error, details: { problem: message } });
  if (/proxy/i.test(message)) return failure(throughProxy, address, { cause: error, details: { problem: message } });
  if (code === 'UND_ERR_INVALID_ARG')
    return failure(badHeader, address, { cause: error, details: { problem: message } });
  if (message === 'bad port') return failure(blockedPort, address, { cause: error, details: { problem: message } });
  const early = address.origin.startsWith('https:') ? hungUpTls : hungUp;
  return failure(isOpening ? early : broken, address, { cause: error, details: { problem: code ?? message } });
}

/** Runtimes wrap the error, and have several if they tried several addresses. */
function rootOf(error: unknown): object {
  let found = error;
  for (let depth = 0; depth < 5; depth++) {
    const { code, cause, errors } = (found ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] };
    const inner = cause ?? (typeof code === 'string' ? undefined : errors?.[0]);
    if (inner === undefined || inner === null) break;
    found = inner;
  }
  return typeof found === 'object' && found !== null ? found : { message: String(found) };
}

export const noResponseHint =
  'Check host and port, and that an MCP server is there; one that is slow to start may need more timeoutMs.';

/** A server that did not answer, whether it accepted the connection or not. */
export const noResponse = (address: HttpAddress, cause: TenonError): TenonError =>
  new TenonError('timeout', `${shownTarget(address)} did not answer: ${cause.message}`, {
    hint: noResponseHint,
    details: { ...cause.details, url: shownTarget(address) },
    cause,
  });

export const bodyTooLarge = (address: HttpAddress, maxBytes: number): TenonError =>
  new TenonError('message-too-large', `${shownTarget(address)} answered with more than ${maxBytes} bytes.`, {
    hint: 'Request less at once, or raise limits.maxMessageChars.',
    details: { url: shownTarget(address), maxBytes },
  });

export const noAnswer = (address: HttpAddress, method: string, cause?: TenonError): TenonError =>
  new TenonError('connection-closed', `${shownTarget(address)} closed its response without an answer to ${method}.`, {
    hint: 'The request may or may not have been executed.',
    details: { url: shownTarget(address), method },
    ...(cause !== undefined && { cause }),
  });

const notThere = 'Check the path, and that an MCP server is there: most are at /mcp.';

/** A successful response with an empty body. */
export const emptyAnswer = (address: HttpAddress, method: string, isOpening: boolean): TenonError =>
  new TenonError('connection-closed', `${shownTarget(address)} answered ${method} with an empty response.`, {
    hint: isOpening ? notThere : 'The request may or may not have been executed.',
    details: { url: shownTarget(address), method },
  });

/** A JSON response without the answer. An error with another id is the answer: the response belongs to one request. */
export const wrongAnswer = (address: HttpAddress, method: string, body: string): TenonError | RpcError => {
  const error = rpcErrorIn(body);
  if (error !== undefined) return RpcError.answered(error);
  const came = body.trim() === '' ? 'The body is empty.' : `The body is ${excerpt(body)}`;
  const text = `The response of ${shownTarget(address)} to ${method} contains no answer. ${came}`;
  return new TenonError('invalid-result', text, {
    hint: notThere,
    details: { url: shownTarget(address), method, body: excerpt(body) },
  });
};

export const sessionLost = (address: HttpAddress): TenonError =>
  new TenonError('session-expired', `${shownTarget(address)} no longer knows the session.`, {
    hint: 'Connect again.',
    details: { url: shownTarget(address) },
  });

export const foreignEndpoint = (address: HttpAddress, named: string): TenonError => {
  const endpoint = excerpt(shownAddress(named));
  return new TenonError(
    'redirect-not-followed',
    `${shownTarget(address)} names an endpoint at another origin: ${endpoint}.`,
    {
      hint: 'Messages are sent only to the origin of the stream: fix the endpoint in the server.',
      details: { url: shownTarget(address), endpoint },
    },
  );
};

export const tooManyStreams = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} streams to the server are already open.`, { hint: 'Close some of them.' });

const excerpt = (text: string): string => safeExcerpt(text, 300);
