/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, oneOf, type Table, table } from '../../lib/options/option-table.ts';
import type { LockOptions } from './options.ts';

export const lockOptions = /* @__PURE__ */ table(
  () =>
    ({
      mode: oneOf(['enforce', 'check'], 'enforce'),
      includeResources: flag(true),
    }) satisfies Table<LockOptions>,
);
