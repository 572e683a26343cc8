/** Finds the endpoints of an authorization server: RFC 8414, then OpenID Connect Discovery. */
import { fetchJson } from './fetch-json.ts';

/** The URLs of the metadata of an issuer, in the order in which they are tried. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** There are up to three places, and a request waits for them. */
const timeoutMs = 5000;

/** The URL of this name. The document must name the same issuer, character by character: it would speak for another one otherwise. */
export async function findInMetadata(issuer: string, name: 'jwks_uri' | 'introspection_endpoint'): Promise<string> {
  const problems: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const { issuer: named, [name]: found } = await fetchJson(url, {}, timeoutMs);
      if (named !== issuer) problems.push(`${url} names the issuer ${JSON.stringify(named)}`);
      else if (typeof found !== 'string') problems.push(`${url} has no ${name}`);
      else return found;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : url);
    }
  }
  throw new Error(problems.join('; '));
}
