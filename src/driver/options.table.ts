/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table } from '../lib/options/option-table.ts';
import { lockLeaseMs, lockTimeoutMs, type StoredConsentsOptions, type StoredCredentialsOptions } from './options.ts';

export const storedCredentialsOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxEntries: count(10_000),
    }) satisfies Table<StoredCredentialsOptions>,
  {
    lockTimeoutMs,
    lockLeaseMs,
  },
);

export const storedConsentsOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxEntries: count(10_000),
    }) satisfies Table<StoredConsentsOptions>,
);
