/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { callback, count, ms, required, type Table, texts } from '../../lib/options/option-table.ts';
import { allowedUrls, maxRedirects, type UrlGuardOptions } from './options.ts';

export const urlGuardOptions = {
  allow: required(allowedUrls),
  allowedNetworks: texts(),
  maxResponseBytes: count(10_485_760),
  timeoutMs: ms(30_000, { whole: true }),
  lookup: callback,
  [fixed]: {
    maxRedirects,
  },
} as const satisfies Table<UrlGuardOptions>;
