/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table, text } from '../../lib/options/option-table.ts';
import type { ListsFolderOptions } from './lists-options.ts';

export const listsFolderOptions = /* @__PURE__ */ table(
  () =>
    ({
      folder: text(),
      maxEntries: count(200),
    }) satisfies Table<ListsFolderOptions>,
);
