/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { port } from '../lib/options/option-rules.ts';
import { callback, group, ms, oneOf, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { clientDocuments, type DevAuthLifetimes, type DevAuthOptions, knownScopes, maxEntries, quirkList, registeredClients, resourceUrls, trustedIssuers, usersWithClaims } from './options.ts';

export const devAuthLifetimes = /* @__PURE__ */ table(
  () =>
    ({
      accessTokenMs: ms(600_000),
      refreshTokenMs: ms(1_209_600_000),
      codeMs: ms(60_000),
      deviceCodeMs: ms(600_000),
    }) satisfies Table<DevAuthLifetimes>,
);

export const devAuthOptions = /* @__PURE__ */ table(
  () =>
    ({
      port: withDefault(port, 0),
      resources: resourceUrls,
      scopes: knownScopes,
      users: usersWithClaims,
      clients: withDefault(registeredClients, []),
      clientDocuments,
      trustedIssuers,
      accessTokens: oneOf(['jwt', 'opaque'], 'jwt'),
      quirks: withDefault(quirkList, []),
      lifetimes: group(devAuthLifetimes),
      onEvent: callback,
      onAnnounce: callback,
    }) satisfies Table<DevAuthOptions>,
  {
    maxEntries,
  },
);
