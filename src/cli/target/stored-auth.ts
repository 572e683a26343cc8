/** The credentials that `tenon login` has stored, for every command on a URL. OAuth is loaded when it is needed. */
import { readdirSync } from 'node:fs';
import type { OAuthOptions } from '../../auth/client/options.ts';
import type { ClientAuth, ServerAuth } from '../../client/http/port/client-auth.ts';
import { credentialsFolder, defaultFolder } from '../../node/credentials/credentials-folder.ts';
import type { Io } from '../io/io.ts';
import { withoutSignInWaits } from './pending-sign-in.ts';

/** The options of OAuth that are the same for all commands. */
export const oauthOptions = ({ env }: Pick<Io, 'env'>) =>
  ({
    store: credentialsFolder({ folder: defaultFolder('credentials', env) }),
    clientMetadata: { name: 'tenon' },
  }) satisfies OAuthOptions;

/** Without stored credentials nothing is loaded. */
export function storedAuth(io: Pick<Io, 'env'>, timeoutMs?: number): ClientAuth {
  return {
    forServer(url, fetch) {
      let loading: Promise<ServerAuth> | undefined;
      let loaded: ServerAuth | undefined;
      const load = (): Promise<ServerAuth> => {
        loading ??= import('../../auth/client/oauth.ts').then(({ oauth }) => {
          const options = oauthOptions(io);
          const store = withoutSignInWaits(options.store, url, timeoutMs);
          loaded = oauth({ ...options, store }).forServer(url, fetch);
          return loaded;
        });
        return loading;
      };
      return {
        headers: (request) =>
          loaded?.headers(request) ?? (hasCredentials(io) ? load().then((auth) => auth.headers(request)) : undefined),
        // Without stored credentials the error of the connection is reported as it is.
        refused: async (refusal, signal) =>
          (loaded !== undefined || hasCredentials(io)) && (await load()).refused(refusal, signal),
        received: (header) => loaded?.received?.(header),
      };
    },
  };
}

function hasCredentials({ env }: Pick<Io, 'env'>): boolean {
  try {
    return readdirSync(defaultFolder('credentials', env)).some((name) => name.endsWith('.json'));
  } catch {
    return false;
  }
}
