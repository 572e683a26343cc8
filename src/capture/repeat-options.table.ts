/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { abortSignal } from '../client/content/icon-options.ts';
import { callback, flag, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { ignoredPlaces } from './options.ts';
import type { RepeatOptions } from './repeat-options.ts';

export const repeatOptions = /* @__PURE__ */ table(
  () =>
    ({
      ignore: withDefault(ignoredPlaces, []),
      ignoreTimes: flag(false),
      ignoreIds: flag(false),
      onCall: callback,
      signal: abortSignal,
    }) satisfies Table<RepeatOptions>,
);
