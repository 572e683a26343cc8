/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { count, flag, type Table } from '../../lib/options/option-table.ts';
import { maxListed, maxPathChars, type PathRootOptions } from './options.ts';

export const pathRootOptions = {
  hidden: flag(false),
  maxFileBytes: count(10_485_760),
  [fixed]: {
    maxPathChars,
    maxListed,
  },
} as const satisfies Table<PathRootOptions>;
