/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { encryptionRule } from '../driver/encryption-options.ts';
import { storedConsentsOptions, storedCredentialsOptions } from '../driver/options.table.ts';
import { callback, flag, group, ms, oneOf, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { maxCharsPerOwner, maxKeysPerOwner, maxSharedChars, maxSharedKeys, redisPrefix, type RedisStoreOptions, type RedisTimeouts } from './options.ts';

export const redisTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      commandMs: ms(2000),
      connectMs: ms(5000),
    }) satisfies Table<RedisTimeouts>,
);

export const redisStoreOptions = /* @__PURE__ */ table(
  () =>
    ({
      encryption: encryptionRule,
      credentials: group(storedCredentialsOptions),
      consents: group(storedConsentsOptions),
      onError: callback,
      now: callback,
      prefix: withDefault(redisPrefix, ''),
      durability: oneOf(['process', 'disk']),
      timeouts: group(redisTimeouts),
      fresh: flag(false),
    }) satisfies Table<RedisStoreOptions>,
  {
    maxKeysPerOwner,
    maxCharsPerOwner,
    maxSharedKeys,
    maxSharedChars,
  },
);
