/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, group, ms, oneOf, required, type Table, table, text, withDefault } from '../../lib/options/option-table.ts';
import { dpopRule } from './dpop/dpop-rule.ts';
import { endpointUrl, type IntrospectionOptions, type IssuerOptions, issuerUrl, maxCachedTokens, maxProofs, maxProofsPerPrincipal, maxTokenBytes, oneIssuer, type ProtectOptions, resourceUrl, scopeList, scopesByScope, severalIssuers, textList, type TokenLimits } from './options.ts';

export const introspectionOptions = /* @__PURE__ */ table(
  () =>
    ({
      endpoint: endpointUrl,
      clientId: required(text()),
      clientSecret: required(text()),
      method: oneOf(['client_secret_basic', 'client_secret_post']),
    }) satisfies Table<IntrospectionOptions>,
);

export const issuerOptions = /* @__PURE__ */ table(
  () =>
    ({
      issuer: required(issuerUrl),
      jwksUri: endpointUrl,
      introspection: group(introspectionOptions),
    }) satisfies Table<IssuerOptions>,
);

export const tokenLimits = /* @__PURE__ */ table(
  () =>
    ({
      cacheMs: ms(300_000),
    }) satisfies Table<TokenLimits>,
  {
    maxTokenBytes,
    maxCachedTokens,
    maxProofs,
    maxProofsPerPrincipal,
  },
);

export const protectOptions = /* @__PURE__ */ table(
  () =>
    ({
      issuer: oneIssuer,
      issuers: severalIssuers,
      resource: required(resourceUrl),
      audiences: textList,
      scopes: withDefault(scopeList, []),
      impliedScopes: scopesByScope,
      scopesSupported: scopeList,
      resourceName: text(),
      claims: textList,
      rolesClaim: text('roles'),
      dpop: dpopRule,
      verify: callback,
      limits: group(tokenLimits),
      onWarning: callback,
    }) satisfies Table<ProtectOptions>,
);
