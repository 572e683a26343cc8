/** The issuers of a `protect` that are authorization servers in this process: their revocations, routes and store. */
import type { Authenticate } from '../../server/ports/authenticate.ts';
import { joinedRoutes } from '../../server/ports/routes.ts';
import type { Issuer } from './settings.ts';
import type { VerifiedToken } from './tokens/access-token.ts';
import type { CachedToken } from './tokens/token-cache.ts';

type UseStore = NonNullable<Authenticate['useStore']>;

interface OwnIssuers extends Pick<Authenticate, 'useStore' | 'routes'> {
  /** Whether a token was revoked since; `undefined` for tokens of other issuers. */
  revocationOf(token: VerifiedToken): CachedToken['isRevoked'];
}

/** `useStore` is another use of the store of the server. */
export function createOwnIssuers(issuers: readonly Issuer[], useStore: UseStore | undefined): OwnIssuers {
  const own = issuers.flatMap((issuer) => (issuer.own === undefined ? [] : [issuer.own]));
  const uses = [...(useStore === undefined ? [] : [useStore]), ...own.map((one): UseStore => one.useStore)];
  const routes = joinedRoutes(own.map((one) => one.routes));
  return {
    revocationOf({ principal, issuedAt = 0, grantedAt }) {
      const { issuer, subject, client } = principal;
      const server = own.find((one) => one.issuer === issuer);
      return server && (() => server.isRevoked({ subject, client, issuedAt, grantedAt }));
    },
    ...(uses.length > 0 && { useStore: (store) => joinedEnd(uses.map((use) => use(store))) }),
    ...(routes !== undefined && { routes }),
  };
}

const joinedEnd = (ends: readonly (() => void)[]) => (): void => {
  for (const end of ends) end();
};
