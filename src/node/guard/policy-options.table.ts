/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxDecisions } from '../../guard/policy/options.ts';
import { callback, type Table, table } from '../../lib/options/option-table.ts';
import { type PolicyFileOptions, pollMs } from './policy-options.ts';

export const policyFileOptions = /* @__PURE__ */ table(
  () =>
    ({
      onWarning: callback,
    }) satisfies Table<PolicyFileOptions>,
  {
    maxDecisions,
    pollMs,
  },
);
