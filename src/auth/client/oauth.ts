/** `oauth`: access tokens for the servers of clients, as an OAuth 2.1 client. */
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { finishSignIn } from './flows/finish-sign-in.ts';
import { knownServers } from './flows/known-servers.ts';
import { signOut } from './flows/sign-out.ts';
import type { OAuthOptions } from './options.ts';
import { BoundCredentials } from './servers/bound-credentials.ts';
import { ServerCredentials } from './servers/server-credentials.ts';
import { readOAuthOptions } from './settings.ts';

/** What `oauth` returns: the option `auth` of an HTTP target. One serves any number of servers. */
export interface OAuth extends ClientAuth {
  /**
   * Finishes the sign-in of a web application: pass the URL that the person came back with. Then connect again. Rejects
   * with `authorization-failed` for a response that does not belong to a sign-in of this application.
   */
  finishSignIn(callbackUrl: string | URL): Promise<void>;
  /**
   * Revokes the tokens where the authorization server supports it, and deletes them. Default: of all servers that the
   * store has tokens for, also those of other programs that share it.
   */
  signOut(serverUrl?: string | URL): Promise<void>;
}

/**
 * Servers whose tokens one `oauth` holds in memory; connections share them.
 * @limit credentials
 * @beyond those of the least recently used are read from the store again
 */
const maxServers = 1000;

/**
 * Gets access tokens for servers: finds the authorization server, registers the client, lets a person sign in, and
 * refreshes the tokens. Throws `invalid-argument` for a wrong option.
 *
 * ```ts
 * const auth = oauth({ signIn: { redirectUri: 'https://app.example.com/callback' } });
 * const client = await connect({ url: 'https://mcp.example.com/mcp', auth });
 * ```
 */
export function oauth(options: OAuthOptions = {}): OAuth {
  const resolved = readOAuthOptions(options);
  const servers = new Map<string, ServerCredentials>();
  const credentialsFor = (url: string): ServerCredentials => {
    const found = servers.get(url) ?? new ServerCredentials(resolved, url);
    servers.delete(url);
    servers.set(url, found);
    const [leastUsed = url] = servers.keys();
    if (servers.size > maxServers) {
      servers.delete(leastUsed);
      resolved.targetFetches.delete(leastUsed);
    }
    return found;
  };
  return {
    forServer(url, fetch) {
      if (fetch !== undefined) resolved.targetFetches.set(url, fetch);
      return new BoundCredentials(credentialsFor(url));
    },
    async finishSignIn(callbackUrl) {
      const serverUrl = await finishSignIn(resolved, readUrl('finishSignIn()', callbackUrl));
      await servers.get(serverUrl)?.reload();
    },
    async signOut(serverUrl) {
      const urls =
        serverUrl === undefined
          ? new Set([...servers.keys(), ...(await knownServers(resolved.store))])
          : [readUrl('signOut()', serverUrl).href];
      for (const url of urls) {
        servers.get(url)?.forget();
        await signOut(resolved, url);
        // A refresh may have ended meanwhile.
        await servers.get(url)?.reload();
      }
    },
  };
}

function readUrl(of: string, url: string | URL): URL {
  if (url instanceof URL) return url;
  if (typeof url === 'string' && isUrl(url)) return new URL(url);
  throw new TenonError('invalid-argument', `${of} needs a URL in full.`, {
    hint: "Pass the whole URL, such as 'https://app.example.com/callback?code=…&state=…'.",
  });
}
