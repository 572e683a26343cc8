/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, ms, type Table, table, text, texts } from '../lib/options/option-table.ts';
import { authRule, filterList, maxDescriptionChars, type OpenApiOptions, textMembers } from './options.ts';

export const openApiOptions = /* @__PURE__ */ table(
  () =>
    ({
      baseUrl: text(),
      variables: textMembers,
      auth: authRule,
      headers: textMembers,
      include: filterList,
      exclude: filterList,
      name: callback,
      allowedNetworks: texts(),
      maxOperations: count(128),
      requestTimeoutMs: ms(30_000, { whole: true }),
      maxResponseBytes: count(10_485_760),
      maxResultChars: count(1_048_576),
      onOmitted: callback,
    }) satisfies Table<OpenApiOptions>,
  {
    maxDescriptionChars,
  },
);
