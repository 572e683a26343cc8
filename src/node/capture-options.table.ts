/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { port } from '../lib/options/option-rules.ts';
import { flag, type Table, table, text, withDefault } from '../lib/options/option-table.ts';
import type { CaptureFileOptions, ServeReplayOptions } from './capture-options.ts';

export const captureFileOptions = /* @__PURE__ */ table(
  () =>
    ({
      keepAnswers: flag(false),
      by: text('tenon'),
    }) satisfies Table<CaptureFileOptions>,
);

export const serveReplayOptions = /* @__PURE__ */ table(
  () =>
    ({
      port: withDefault(port, 0),
    }) satisfies Table<ServeReplayOptions>,
);
