/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, duration } from '../lib/options/option-rules.ts';
import { callback, flag, oneOf, required, type Table, table, text, withDefault } from '../lib/options/option-table.ts';
import { type CaptureOptions, type CompareOptions, faultList, faultMethod, ignoredPlaces, maxChars, maxEvents, type ReplayFault, type ReplayOptions } from './options.ts';

export const captureOptions = /* @__PURE__ */ table(
  () =>
    ({
      keepAnswers: flag(false),
      write: required(callback),
      digest: callback,
      by: text('tenon'),
    }) satisfies Table<CaptureOptions>,
  {
    maxEvents,
    maxChars,
  },
);

export const compareOptions = /* @__PURE__ */ table(
  () =>
    ({
      ignore: withDefault(ignoredPlaces, []),
      ignoreTimes: flag(false),
      ignoreIds: flag(false),
    }) satisfies Table<CompareOptions>,
);

export const replayOptions = /* @__PURE__ */ table(
  () =>
    ({
      mode: oneOf(['match', 'exact'], 'match'),
      faults: withDefault(faultList, []),
      onUnknown: callback,
    }) satisfies Table<ReplayOptions>,
);

export const replayFault = /* @__PURE__ */ table(
  () =>
    ({
      on: required(faultMethod),
      nth: count,
      do: required(oneOf(['delay', 'cut', 'tear', 'double', 'drop', 'error'])),
      ms: withDefault(duration, 1000),
    }) satisfies Table<ReplayFault>,
);
