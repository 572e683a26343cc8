/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { oneOf, required, type Table, table, text } from '../../../lib/options/option-table.ts';
import { cryptoKey, type OAuthClient } from './client.ts';
import { httpsUrl } from './metadata.ts';

export const oAuthClient = /* @__PURE__ */ table(
  () =>
    ({
      clientId: required(text()),
      clientSecret: text(),
      privateKey: cryptoKey,
      keyId: text(),
      authMethod: oneOf(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
      issuer: httpsUrl,
    }) satisfies Table<OAuthClient>,
);
