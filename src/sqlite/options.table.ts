/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { encryptionRule } from '../driver/encryption-options.ts';
import { storedConsentsOptions, storedCredentialsOptions } from '../driver/options.table.ts';
import { callback, group, ms, oneOf, type Table, table } from '../lib/options/option-table.ts';
import { maxChars, maxCharsPerOwner, maxKeys, maxKeysPerOwner, type SqliteStoreOptions } from './options.ts';

export const sqliteStoreOptions = /* @__PURE__ */ table(
  () =>
    ({
      encryption: encryptionRule,
      credentials: group(storedCredentialsOptions),
      consents: group(storedConsentsOptions),
      onError: callback,
      now: callback,
      busyMs: ms(1500),
      durability: oneOf(['process', 'disk'], 'disk'),
      driver: oneOf(['node:sqlite', 'libsql']),
    }) satisfies Table<SqliteStoreOptions>,
  {
    maxKeys,
    maxKeysPerOwner,
    maxChars,
    maxCharsPerOwner,
  },
);
