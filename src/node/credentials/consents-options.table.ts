/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, text } from '../../lib/options/option-table.ts';
import type { ConsentsFolderOptions } from './consents-options.ts';

export const consentsFolderOptions = {
  folder: text(),
  maxEntries: count(10_000),
} as const satisfies Table<ConsentsFolderOptions>;
