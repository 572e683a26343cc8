/** The canonical form of URIs: a resource has one spelling, so that a rule about it cannot be avoided with another. */

const schemeAndRest = /^([a-z][a-z0-9+.-]*):(.+)$/s;
/** Schemes whose host names have no case. */
const withHost = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'file']);
/** Spaces, control and invisible characters, and what RFC 3986 allows nowhere. */
const notAllowed = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\\"<>^`|]/u;
const escape = /%(?:([0-9A-F]{2})|)/g;
const unreserved = /[A-Za-z0-9._~-]/;
const encodedSeparator = /%(?:2F|5C)/g;

/**
 * What keeps a URI from being canonical, or `undefined`. Canonical: a scheme in lower case; no spaces, backslashes or control characters; NFC;
 * escapes in upper case and only where needed; no empty, `.` or `..` segments.
 */
export function uriProblem(uri: string): string | undefined {
  const [, scheme, rest = ''] = schemeAndRest.exec(uri) ?? [];
  if (scheme === undefined) return 'has no scheme in lower case';
  if (notAllowed.test(uri)) return 'has a space, backslash or control character';
  if (uri.normalize('NFC') !== uri) return 'is not in Unicode normalisation form C';
  for (const [, hex] of uri.matchAll(escape)) {
    if (hex === undefined) return 'has a % that is not followed by two upper-case hexadecimal digits';
    const code = Number.parseInt(hex, 16);
    if (code < 0x20 || code === 0x7f) return 'has an encoded control character';
    if (unreserved.test(String.fromCharCode(code))) return `has %${hex}, which needs no escape`;
  }
  const path = rest.replace(/[?#].*$/s, '');
  const authority = path.startsWith('//') ? (path.slice(2).split('/', 1)[0] as string) : undefined;
  if (authority !== undefined && withHost.has(scheme) && authority !== authority.toLowerCase()) {
    return 'has a host with upper-case letters';
  }
  return segmentProblem(authority === undefined ? path : path.slice(2 + authority.length));
}

function segmentProblem(path: string): string | undefined {
  const segments = path.replace(encodedSeparator, '/').split('/');
  if (segments.some((one) => one === '.' || one === '..')) return 'has a segment . or ..';
  return segments.slice(1, -1).includes('') ? 'has an empty segment' : undefined;
}

/** The readings of a URI that a handler may have: as it is and, if it has encoded separators, with these decoded. */
export function readingsOf(uri: string): readonly string[] {
  const decoded = uri.replace(encodedSeparator, '/');
  return decoded === uri ? [uri] : [uri, decoded];
}
