/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { callback, count, flag, type Table, text, texts } from '../../lib/options/option-table.ts';
import { abortSignal, type IconOptions, iconTimeoutMs, maxEdge } from './icon-options.ts';

export const iconOptions = {
  origin: text(),
  trustedOrigins: texts(),
  svg: flag(false),
  maxBytes: count(262_144),
  signal: abortSignal,
  fetch: callback,
  [fixed]: {
    maxEdge,
    timeoutMs: iconTimeoutMs,
  },
} as const satisfies Table<IconOptions>;
