/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { oneOf, type Table, table } from '../../../lib/options/option-table.ts';
import type { Quirks } from './quirks.ts';

export const quirks = /* @__PURE__ */ table(
  () =>
    ({
      resource: oneOf(['omit']),
      refreshScope: oneOf(['requested']),
      offlineAccess: oneOf(['omit']),
      clientAuth: oneOf(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
    }) satisfies Table<Quirks>,
);
