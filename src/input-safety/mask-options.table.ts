/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table, texts, withDefault } from '../lib/options/option-table.ts';
import { type MaskOptions, regularExpressions } from './mask-options.ts';

export const maskOptions = /* @__PURE__ */ table(
  () =>
    ({
      fields: texts([]),
      patterns: withDefault(regularExpressions, []),
    }) satisfies Table<MaskOptions>,
);
