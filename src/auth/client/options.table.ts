/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, flag, group, groupOrOff, ms, type Table, table } from '../../lib/options/option-table.ts';
import { credentialStore, grantRule, maxAuthorizations, type OAuthLimits, type OAuthOptions, type OAuthTimeouts, scopesToRequest, signInRule } from './options.ts';
import { oAuthClient } from './registration/client.table.ts';
import { clientMetadata } from './registration/metadata.table.ts';
import { metadataUrl } from './registration/metadata.ts';
import { quirks } from './tokens/quirks.table.ts';

export const oAuthTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      signInMs: ms(300_000),
      requestMs: ms(10_000),
    }) satisfies Table<OAuthTimeouts>,
);

export const oAuthLimits = /* @__PURE__ */ table(
  () =>
    ({
    }) satisfies Table<OAuthLimits>,
  {
    maxAuthorizations,
  },
);

export const oAuthOptions = /* @__PURE__ */ table(
  () =>
    ({
      signIn: signInRule,
      store: credentialStore,
      client: groupOrOff(oAuthClient),
      clientMetadataUrl: metadataUrl,
      clientMetadata: group(clientMetadata),
      scopes: scopesToRequest,
      grant: grantRule,
      dpop: flag(),
      quirks: group(quirks),
      explain: callback,
      timeouts: group(oAuthTimeouts),
      limits: group(oAuthLimits),
      fetch: callback,
    }) satisfies Table<OAuthOptions>,
);
