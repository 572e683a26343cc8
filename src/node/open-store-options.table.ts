/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { encryptionRule } from '../driver/encryption/options.ts';
import { callback, type Table } from '../lib/options/option-table.ts';
import type { OpenStoreOptions } from './open-store-options.ts';

export const openStoreOptions = {
  onError: callback,
  encryption: encryptionRule,
} as const satisfies Table<OpenStoreOptions>;
