/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { encryptionRule } from '../driver/encryption-options.ts';
import { storedConsentsOptions, storedCredentialsOptions } from '../driver/options.table.ts';
import { callback, count, group, ms, oneOf, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { maxCharsPerOwner, maxKeysPerOwner, maxSharedChars, maxSharedKeys, type PostgresStoreOptions, type PostgresTimeouts, schemaName } from './options.ts';

export const postgresTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      commandMs: ms(5000),
      connectMs: ms(5000),
    }) satisfies Table<PostgresTimeouts>,
);

export const postgresStoreOptions = /* @__PURE__ */ table(
  () =>
    ({
      encryption: encryptionRule,
      credentials: group(storedCredentialsOptions),
      consents: group(storedConsentsOptions),
      onError: callback,
      now: callback,
      schema: withDefault(schemaName, 'tenon'),
      maxConnections: count(10),
      durability: oneOf(['process', 'disk']),
      timeouts: group(postgresTimeouts),
    }) satisfies Table<PostgresStoreOptions>,
  {
    maxKeysPerOwner,
    maxCharsPerOwner,
    maxSharedKeys,
    maxSharedChars,
  },
);
