/** The credentials of an upstream, made from the section `auth` of the file. */
import { apiKey, bearerToken } from '../../auth/bearer-or-api-key.ts';
import { clientCredentials } from '../../auth/client/grants/client-credentials.ts';
import { oauth } from '../../auth/client/oauth.ts';
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import { createUrlGuard } from '../../input-safety/urls/url-guard.ts';
import { tokenFile } from '../../node/credentials/token-file.ts';
import type { Secrets } from '../config/secrets-file.ts';
import type { FileAuth } from '../config/upstream-options.ts';

/** The section was checked, and its secrets exist. `url` is that of the upstream, if it has one. */
export function upstreamAuth(section: FileAuth, url: string | undefined, secrets: Secrets): ClientAuth {
  const text = (name: string): string | undefined => section[name] as string | undefined;
  const secret = secrets.get(text('secret') ?? '') ?? '';
  const file = text('file');
  switch (section.type) {
    case 'api-key':
      return apiKey(secret, { ...(section.header !== undefined && { header: text('header') as string }) });
    case 'bearer':
      return bearerToken(file === undefined ? secret : tokenFile(file));
    default: {
      const issuer = text('issuer') as string;
      return oauth({
        client: { clientId: text('clientId') as string, clientSecret: secret, issuer },
        grant: clientCredentials(),
        ...(section.scopes !== undefined && { scopes: section.scopes as readonly string[] }),
        fetch: guardedFetch([issuer, url]),
      });
    }
  }
}

/**
 * The servers that the file names are where their operator wants them, also in a private network. Every other URL comes
 * from their metadata and challenges: it leads to public addresses only.
 */
export function guardedFetch(
  trusted: readonly (string | undefined)[],
): (url: string, init?: RequestInit) => Promise<Response> {
  const origins = new Set(trusted.filter((url) => url !== undefined).map((url) => new URL(url).origin));
  const guard = createUrlGuard({ allow: ['https://*'] });
  return (url, init) => (origins.has(new URL(url).origin) ? fetch(url, init) : guard.fetch(url, init));
}
