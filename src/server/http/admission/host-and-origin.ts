/** Checks the host, the origin and the media types of a request, by its headers alone. */
import { parseUrl } from '../../../lib/text/parse-url.ts';
import type { HttpRequest, Refused } from '../message.ts';
import { acceptanceOf } from './accept.ts';

/**
 * Which hosts and origins are admitted.
 * @area HTTP
 * @noTable
 */
export interface GuardOptions {
  /**
   * Host names that requests may be sent to, without ports. `'*'` admits every host.
   * @default computed `localhost`, `127.0.0.1` and `[::1]`
   * @rule allowedHosts
   */
  readonly allowedHosts?: readonly string[] | '*';
  /**
   * Origins of web pages that may call the server and read its responses (CORS), such as `https://app.example`. `'null'`
   * admits pages without an origin, which cannot read responses.
   * @default off, pages of allowed hosts are admitted
   * @rule allowedOrigins
   */
  readonly allowedOrigins?: readonly string[];
}

export type Guard = (request: HttpRequest) => Refused | undefined;

export const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether requests may be sent to a host, as the `Host` header names it. */
export function createHostCheck({ allowedHosts: hosts = loopback }: GuardOptions): (host: string) => boolean {
  const knownHosts = hosts === '*' ? undefined : new Set(hosts.map((host) => host.toLowerCase()));
  if (knownHosts === undefined) return (host) => !host.includes(',');
  // Requests are sent to the same few hosts.
  const seenHosts = new Map<string, boolean>();
  return (host) => {
    const seen = seenHosts.get(host);
    if (seen !== undefined) return seen;
    const known = knownHosts.has(withoutPort(host.toLowerCase()));
    if (seenHosts.size < 100) seenHosts.set(host, known);
    return known;
  };
}

/** An origin as browsers send it: in lower case, without the default port. */
export function asSent(origin: string): string {
  const url = parseUrl(origin);
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.origin : origin.toLowerCase();
}

export function createGuard(options: GuardOptions = {}): Guard {
  const { allowedHosts: hosts, allowedOrigins: origins = [] } = options;
  const isHost = createHostCheck(options);
  const knownOrigins = new Set(origins.map(asSent));

  function isOrigin(origin: string): boolean {
    if (knownOrigins.has(origin)) return true;
    const url = parseUrl(origin);
    if (url === undefined || url.origin !== origin || !/^https?:$/.test(url.protocol)) return false;
    return hosts !== '*' && isHost(url.host);
  }

  return (request) => {
    const host = request.header('host');
    if (host !== undefined && !isHost(host)) return host.includes(',') ? severalHosts : foreignHost(host);
    const origin = request.header('origin');
    if (origin !== undefined && !isOrigin(origin))
      return forbidden(`The origin${shown(origin)} is not allowed: add it to allowedOrigins of the server`);
    if (request.method === 'POST') return checkTypes(request);
    return origin === undefined && isFromOtherSite(request) ? otherSite : undefined;
  };
}

/**
 * Whether a browser sent a request for a page of another origin without naming it, as it does for images, frames and
 * links: each could open a stream, and takes up a session. A POST always has an origin.
 */
const isFromOtherSite = (request: HttpRequest): boolean =>
  /^(?:cross|same)-site$/.test(request.header('sec-fetch-site') ?? '');

function checkTypes(request: HttpRequest): Refused | undefined {
  const type = request.header('content-type');
  if (type === undefined || !isJson(type)) return { status: 415, text: 'Send content-type: application/json' };
  const accept = request.header('accept');
  // Clients of the founding documents send none.
  if (accept === undefined || acceptanceOf(accept) !== 'neither') return undefined;
  return { status: 406, text: 'Send accept: application/json, text/event-stream' };
}

const isJson = (type: string): boolean => type === 'application/json' || /^\s*application\/json\s*(;|$)/i.test(type);

/** Refused: a proxy may have routed the request by the other host. */
const severalHosts: Refused = { status: 400, text: 'The request has more than one Host header' };

/** The port is left out: `allowedHosts` has names alone. */
const foreignHost = (host: string): Refused =>
  forbidden(`The host${shown(withoutPort(host))} is not allowed: add it to allowedHosts of the server`);

const otherSite: Refused = {
  status: 403,
  text: 'Pages of another origin must request with CORS (fetch or EventSource), from an origin in allowedOrigins of the server',
};

const withoutPort = (host: string): string => host.replace(/:\d{1,5}$/, '');

const forbidden = (text: string): Refused => ({ status: 403, text });

/** Shows a valid host or origin only: the text is logged, and another value may contain a password. */
const shown = (value: string): string => (/^[\w.:/[\]-]{1,100}$/.test(value) ? ` "${value}"` : '');
