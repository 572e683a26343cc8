/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, flag, type Table, table } from '../../lib/options/option-table.ts';
import { maxListed, maxPathChars, type PathRootOptions } from './options.ts';

export const pathRootOptions = /* @__PURE__ */ table(
  () =>
    ({
      hidden: flag(false),
      maxFileBytes: count(10_485_760),
    }) satisfies Table<PathRootOptions>,
  {
    maxPathChars,
    maxListed,
  },
);
