/** Addresses as errors show them: without credentials, which are the user, the password and the values of the query. */
import { parseUrl } from './parse-url.ts';

const hidden = '…';

/** The URL of an endpoint. Credentials were removed when it was parsed, so only its query can hold a secret. */
export const shownTarget = ({ origin, path }: { readonly origin: string; readonly path: string }): string =>
  `${origin}${withoutValues(path)}`;

/** Any text passed as an address, absolute or relative. An invalid one is shown in part. */
export function shownAddress(text: string): string {
  const [, scheme = '', rest = ''] = /^((?:[a-z][a-z\d+.-]*:)?(?:\/\/)?)(.*)$/is.exec(text) ?? [];
  const authority = scheme.endsWith('//') ? (/^[^/\\?#]*/.exec(rest)?.[0] ?? '') : '';
  const at = authority.lastIndexOf('@');
  const after = rest.slice(at + 1);
  if (/\s/.test(text) || parseUrl(text, 'http://localhost') === undefined) return safeStart(scheme, rest);
  if (/[^/\\]@/.test(after) && !isPathWithAt(scheme, authority.slice(at + 1), after)) return safeStart(scheme, rest);
  return `${scheme}${at === -1 ? '' : `${hidden}@`}${withoutValues(after)}`;
}

/** A password that is not encoded can contain the end of the host, so an @ stays only after a part that is certainly the host. */
const isPathWithAt = (scheme: string, host: string, after: string): boolean =>
  scheme === '' ? /^\.{0,2}\/(?![/\\])/.test(after) : surelyHost.test(host) && !after.includes('://');

const surelyHost = /^(?:[\w-]+(?:\.[\w-]+)+|localhost(?::\d+)?)$/i;

/** The part before anything that can be a secret. */
function safeStart(scheme: string, rest: string): string {
  if (rest.includes('@')) return `${scheme}${hidden}`;
  const end = rest.search(/[\s?#=:]/);
  return end === -1 ? `${scheme}${rest}` : `${scheme}${rest.slice(0, end + 1).trimEnd()}${hidden}`;
}

/** The names in a query stay; a part without a name may be a value. */
function withoutValues(text: string): string {
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
  const parts = query?.split('&').map((part) => `${/^[^=]*=/.exec(part)?.[0] ?? ''}${hidden}`);
  return `${path}${parts === undefined ? '' : `?${parts.join('&')}`}${fragment === undefined ? '' : `#${hidden}`}`;
}
