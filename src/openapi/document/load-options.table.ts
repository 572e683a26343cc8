/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, flag, ms, type Table, table, texts } from '../../lib/options/option-table.ts';
import { type LoadOpenApiOptions, maxFiles } from './load-options.ts';

export const loadOpenApiOptions = /* @__PURE__ */ table(
  () =>
    ({
      externalReferences: flag(false),
      allowedNetworks: texts(),
      maxDocumentBytes: count(20_971_520),
      timeoutMs: ms(30_000, { whole: true }),
    }) satisfies Table<LoadOpenApiOptions>,
  {
    maxFiles,
  },
);
