/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, type Table, table } from '../../lib/options/option-table.ts';
import type { Consent } from './consent.ts';

export const consent = /* @__PURE__ */ table(
  () =>
    ({
      tool: callback,
      sample: callback,
      sampleResult: callback,
      roots: callback,
      resource: callback,
      prompt: callback,
    }) satisfies Table<Consent>,
);
