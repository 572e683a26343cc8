/** The canonical form of URIs: a resource has one spelling, so that a rule about it cannot be avoided with another. */
import { parseUrl } from '../../../lib/text/parse-url.ts';

const schemeAndRest = /^([a-z][a-z0-9+.-]*):(.+)$/s;
/** Schemes whose URIs have a host, as the URL Standard reads it. */
const withHost = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'file']);
/** Characters that are not visible, or have no place in a text of one line. */
export const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** Spaces, and characters that RFC 3986 never allows. */
const notAllowed = /[\s\\"<>^`|]/;
const escapes = /%([0-9A-F]{2})?/g;
const unreserved = /[A-Za-z0-9._~-]/;
const encodedTwice = /%25[0-9A-Fa-f]{2}/;

/**
 * The reason why a URI is not canonical, or `undefined`. Canonical: a scheme in lower case; a host as `URL` writes it,
 * without user and default port, in other schemes without an empty user or port; no spaces, backslashes or invisible characters; NFC; escapes of UTF-8, in upper case
 * and only where needed; no empty, `.` or `..` segments.
 */
export function uriProblem(given: string): string | undefined {
  const uri = uriOfUpstream(given);
  const [, scheme, rest = ''] = schemeAndRest.exec(uri) ?? [];
  if (scheme === undefined) return 'has no scheme in lower case';
  if (notAllowed.test(uri) || invisible.test(uri)) return 'has a space, backslash or invisible character';
  if (uri.normalize('NFC') !== uri) return 'is not in Unicode normalisation form C';
  const escaped = uri.includes('%') ? escapeProblem(uri) : undefined;
  if (escaped !== undefined) return escaped;
  const [path = ''] = rest.split(/[?#]/, 1);
  const authority = path.startsWith('//') ? (path.slice(2).split('/', 1)[0] as string) : undefined;
  const inPath = authority === undefined ? path : path.slice(2 + authority.length);
  const ofHost = withHost.has(scheme) ? hostProblem(scheme, authority, inPath) : authorityProblem(scheme, authority);
  return ofHost ?? segmentProblem(inPath);
}

/** A resource that a gateway has from an upstream is named `via:NAME/URI`. The upstream reads that URI, so it has to be canonical. */
const ofUpstream = /^via:[A-Za-z0-9_-]+\//;

function uriOfUpstream(uri: string): string {
  let own = uri;
  for (let found = ofUpstream.exec(own); found !== null; found = ofUpstream.exec(own)) own = own.slice(found[0].length);
  return own;
}

function escapeProblem(uri: string): string | undefined {
  for (const [, hex] of uri.matchAll(escapes)) {
    if (hex === undefined) return 'has a % that is not followed by two upper-case hexadecimal digits';
    if (unreserved.test(String.fromCharCode(Number.parseInt(hex, 16)))) return `has %${hex}, which needs no escape`;
  }
  const decoded = decodeUri(uri);
  if (decoded === undefined) return 'has escapes that are not UTF-8';
  return invisible.test(decoded) ? 'has an encoded control or invisible character' : undefined;
}

function hostProblem(scheme: string, authority: string | undefined, path: string): string | undefined {
  if (authority === undefined) return 'has no // before its host';
  if (authority.includes('@')) return 'has a user name';
  if (!path.startsWith('/')) return 'has no / after its host';
  const spelling = 'has a host that is not in its usual spelling: lower case, ASCII, no default port';
  try {
    return new URL(`${scheme}://${authority}/`).host === authority && !/\.(?::|$)/.test(authority)
      ? undefined
      : spelling;
  } catch {
    return spelling;
  }
}

/** `URL` drops an empty user name, an empty port and zeros before a port: a handler that reads the URI with it gets another one. */
function authorityProblem(scheme: string, authority = ''): string | undefined {
  const read = parseUrl(`${scheme}://${authority}/`);
  if (read === undefined || decodeUri(read.href) === decodeUri(`${scheme}://${authority}/`)) return undefined;
  return 'has an empty user name or port, or a host that is not in its usual spelling';
}

function segmentProblem(path: string): string | undefined {
  if (encodedTwice.test(path)) return 'has an escape that is encoded twice';
  const segments = (decodeUri(path) ?? path).split('/');
  if (segments.some((one) => one === '.' || one === '..')) return 'has a segment . or ..';
  return segments.slice(1, -1).includes('') ? 'has an empty segment' : undefined;
}

/** A text as a handler that decodes escapes reads it; `undefined` where they are not UTF-8. */
export function decodeUri(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    // In a pattern * is a wildcard, and an encoded one is not.
    return decodeURIComponent(text.replaceAll('%2A', '%252A')).replaceAll('\\', '/').normalize('NFC');
  } catch {
    return undefined;
  }
}

/** One way in which a handler may read a URI. */
export interface UriReading {
  /** Whether escapes are decoded. */
  readonly decoded: boolean;
  readonly whole: string;
  /** The URI without its query, as handlers read it that ignore queries: for patterns without one. */
  readonly compared: string;
}

/** All readings of a URI: with its escapes or decoded, with its query and fragment or without. A pattern may have escapes where the URI has none. */
export function readingsOf(uri: string): readonly UriReading[] {
  const decoded = decodeUri(uri) ?? uri;
  const whole = [
    { decoded: false, whole: uri, compared: uri },
    { decoded: true, whole: decoded, compared: decoded },
  ];
  const [path = ''] = uri.split(/[?#]/, 1);
  if (path === uri) return whole;
  return [
    ...whole,
    { decoded: false, whole: uri, compared: path },
    { decoded: true, whole: decoded, compared: decodeUri(path) ?? path },
  ];
}
