/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, flag, type Table, table, text, texts } from '../../lib/options/option-table.ts';
import { abortSignal, type IconOptions, iconTimeoutMs, maxEdge } from './icon-options.ts';

export const iconOptions = /* @__PURE__ */ table(
  () =>
    ({
      origin: text(),
      trustedOrigins: texts(),
      svg: flag(false),
      maxBytes: count(262_144),
      signal: abortSignal,
      fetch: callback,
    }) satisfies Table<IconOptions>,
  {
    maxEdge,
    timeoutMs: iconTimeoutMs,
  },
);
