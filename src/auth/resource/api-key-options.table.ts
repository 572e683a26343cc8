/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, type Table, table, text, withDefault } from '../../lib/options/option-table.ts';
import { apiKeyList, type ApiKeysOptions, otherAuthentication, requiredScopes } from './api-key-options.ts';

export const apiKeysOptions = /* @__PURE__ */ table(
  () =>
    ({
      keys: apiKeyList,
      lookup: callback,
      issuer: text('api-keys'),
      scopes: withDefault(requiredScopes, []),
      otherwise: otherAuthentication,
    }) satisfies Table<ApiKeysOptions>,
);
