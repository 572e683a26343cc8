/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table, text } from '../../lib/options/option-table.ts';
import { maxDecisions, type PolicyOptions } from './options.ts';

export const policyOptions = /* @__PURE__ */ table(
  () =>
    ({
      fileName: text('policy'),
    }) satisfies Table<PolicyOptions>,
  {
    maxDecisions,
  },
);
