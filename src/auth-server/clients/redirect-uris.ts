/** Which redirect URIs a client may register: exact ones that a browser of the user delivers to the client alone. */
import { isLoopback } from '../../auth/secure-url.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { isRecord } from '../../lib/values/is.ts';

/**
 * Redirect URIs of a client.
 * @limit auth-server
 * @beyond `invalid_client_metadata`
 */
const maxRedirectUris = 10;

/**
 * Characters of a redirect URI.
 * @limit auth-server
 * @beyond `invalid_redirect_uri`
 */
const maxRedirectUriChars = 2000;

/**
 * Characters of the name of a client.
 * @limit auth-server
 * @beyond `invalid_client_metadata`
 */
const maxClientNameChars = 100;

/** What is wrong with the metadata of a client, if anything, as the text of `invalid_client_metadata`. */
export function metadataProblem(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return 'the metadata is not a JSON object';
  const { client_name: name, redirect_uris: uris } = metadata;
  if (name !== undefined && (typeof name !== 'string' || name.length > maxClientNameChars))
    return `client_name must be a text of at most ${maxClientNameChars} characters`;
  // The engine derives the error `invalid_redirect_uri` from the beginning of the text.
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris must be a list that is not empty';
  if (uris.length > maxRedirectUris) return `redirect_uris must have at most ${maxRedirectUris} entries`;
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) return `redirect_uris ${problem}`;
  }
  return undefined;
}

/** What is wrong with a redirect URI, if anything. The text does not repeat it. */
export function redirectUriProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > maxRedirectUriChars)
    return `must be texts of at most ${maxRedirectUriChars} characters`;
  // Browsers read these as other characters, or drop them.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(uri)) return 'must have visible ASCII characters alone, without backslashes';
  const url = parseUrl(uri);
  if (url === undefined) return 'must be absolute URLs';
  if (uri.includes('#')) return 'must not have fragments';
  if (url.hostname.includes('*')) return 'must name one host each';
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri))
    return 'must not have user names and passwords';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'must begin with https, or with http on a loopback address';
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'must begin with https: http is for loopback addresses alone';
  // The page shows the text of it: `https://%65vil.example` and `http://2130706433` would lead elsewhere than they say.
  return hasPlainHost(uri, url) ? undefined : 'must have their host as browsers show it';
}

/** Whether the host is written as it is read, apart from upper case and a default port. */
function hasPlainHost(uri: string, { host }: URL): boolean {
  const written = /^https?:\/\/([^/?]*)/i.exec(uri)?.[1]?.toLowerCase();
  return written !== undefined && written.replace(/:(80|443)$/, '') === host.replace(/:(80|443)$/, '');
}

/** Whether a redirect URI leads to a program on the computer of the user. */
export function isLoopbackUri(uri: string): boolean {
  const url = parseUrl(uri);
  return url !== undefined && url.protocol === 'http:' && isLoopback(url);
}
