/** An allow-list of URLs: origins, optionally with a wildcard for subdomains and a path. */

import { wrong } from '../../lib/options/option-rules.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';

interface AllowedUrl {
  readonly protocol: string;
  /** `undefined` for any host. */
  readonly host: string | undefined;
  readonly withSubdomains: boolean;
  readonly port: string;
  readonly path: string;
}

export type AllowList = (url: URL) => boolean;

/** Reads the entries. Throws `invalid-argument` for one that is no origin with a path. */
export function readAllowList(entries: readonly string[]): AllowList {
  const allowed = entries.map(readEntry);
  return (url) => allowed.some((entry) => allows(entry, url));
}

const anyHost = 'any.invalid';

function readEntry(text: string, index: number): AllowedUrl {
  const [, scheme = '', wildcard = '', rest = ''] = /^(https?):\/\/(\*\.?)?(.*)$/is.exec(String(text)) ?? [];
  const isAnyHost = wildcard === '*';
  const url = parseUrl(`${scheme}://${isAnyHost ? anyHost : ''}${rest}`);
  const isPlain =
    url !== undefined && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || rest.includes('*') || (isAnyHost && url.hostname !== anyHost))
    throw wrong(
      'createUrlGuard()',
      `allow[${index}]`,
      'be a URL such as "https://api.example.com" or "https://*.example.com/v1/"',
    );
  return {
    protocol: url.protocol,
    host: isAnyHost ? undefined : url.hostname,
    withSubdomains: wildcard === '*.',
    port: url.port,
    path: url.pathname,
  };
}

function allows({ protocol, host, withSubdomains, port, path }: AllowedUrl, url: URL): boolean {
  if (url.protocol !== protocol || url.port !== port) return false;
  if (host !== undefined && !(withSubdomains ? url.hostname.endsWith(`.${host}`) : url.hostname === host)) return false;
  return path === '/' || isBelow(url.pathname, path);
}

/** `..;` and `.;x`: some servers remove what follows a semicolon before they climb. */
const dotsWithParameter = /(?:^|\/)(?:\.|%2e){1,2}(?:;|%3b)/i;

/** A server may decode `%2f` and `%5c` and climb out of the path, and `%25` hides either, so none of them is allowed below a path. */
function isBelow(pathname: string, path: string): boolean {
  if (/%(?:2f|5c|25|00)|\\/i.test(pathname) || dotsWithParameter.test(pathname)) return false;
  return path.endsWith('/') ? pathname.startsWith(path) : pathname === path || pathname.startsWith(`${path}/`);
}
