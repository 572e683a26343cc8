/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { encryptionRule } from '../driver/encryption-options.ts';
import { callback, type Table, table } from '../lib/options/option-table.ts';
import type { OpenStoreOptions } from './open-store-options.ts';

export const openStoreOptions = /* @__PURE__ */ table(
  () =>
    ({
      onError: callback,
      encryption: encryptionRule,
    }) satisfies Table<OpenStoreOptions>,
);
