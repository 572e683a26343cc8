/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, flag, group, ms, oneOf, required, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { type AllowedClients, type AuthorizationLifetimes, type AuthorizationServerOptions, authorizationStore, documentHosts, issuerOrigin, knownClients, pageTexts, publishedKeyMs, resourceList, scopeNames, secretList, signingKeyMs, signInProviderRule } from './options.ts';

export const allowedClients = /* @__PURE__ */ table(
  () =>
    ({
      registration: flag(true),
      documents: withDefault(documentHosts, true),
      known: withDefault(knownClients, []),
    }) satisfies Table<AllowedClients>,
);

export const authorizationLifetimes = /* @__PURE__ */ table(
  () =>
    ({
      accessTokenMs: ms(600_000),
      refreshTokenMs: ms(1_209_600_000, { most: Number.POSITIVE_INFINITY }),
      grantMs: ms(7_776_000_000, { most: Number.POSITIVE_INFINITY }),
      refreshGraceMs: ms(30_000),
      providerCheckMs: ms(600_000),
    }) satisfies Table<AuthorizationLifetimes>,
);

export const authorizationServerOptions = /* @__PURE__ */ table(
  () =>
    ({
      signIn: required(signInProviderRule),
      secrets: required(secretList),
      resources: resourceList,
      scopes: scopeNames,
      issuer: issuerOrigin,
      store: authorizationStore,
      clients: group(allowedClients),
      allow: callback,
      lifetimes: group(authorizationLifetimes),
      consent: oneOf(['always', 'remember'], 'always'),
      texts: pageTexts,
      fetch: callback,
      onEvent: callback,
    }) satisfies Table<AuthorizationServerOptions>,
  {
    signingKeyMs,
    publishedKeyMs,
  },
);
