/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { groupOrOff, oneOf, required, type Table, table, text } from '../../lib/options/option-table.ts';
import { approvalOptions } from '../approvals/options.table.ts';
import { guardLimits } from '../limits/options.table.ts';
import { guardAudit, type GuardOptions, guardPolicy } from './options.ts';

export const guardOptions = /* @__PURE__ */ table(
  () =>
    ({
      policy: required(guardPolicy),
      audit: guardAudit,
      limits: groupOrOff(guardLimits),
      approvals: groupOrOff(approvalOptions),
      server: text(),
      unknownNames: oneOf(['error', 'warn'], 'error'),
    }) satisfies Table<GuardOptions>,
);
