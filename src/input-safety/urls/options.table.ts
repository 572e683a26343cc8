/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, ms, required, type Table, table, texts } from '../../lib/options/option-table.ts';
import { allowedUrls, maxRedirects, type UrlGuardOptions } from './options.ts';

export const urlGuardOptions = /* @__PURE__ */ table(
  () =>
    ({
      allow: required(allowedUrls),
      allowedNetworks: texts(),
      maxResponseBytes: count(10_485_760),
      timeoutMs: ms(30_000, { whole: true }),
      lookup: callback,
    }) satisfies Table<UrlGuardOptions>,
  {
    maxRedirects,
  },
);
