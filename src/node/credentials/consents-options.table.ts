/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table, text } from '../../lib/options/option-table.ts';
import type { ConsentsFolderOptions } from './consents-options.ts';

export const consentsFolderOptions = /* @__PURE__ */ table(
  () =>
    ({
      folder: text(),
      maxEntries: count(10_000),
    }) satisfies Table<ConsentsFolderOptions>,
);
