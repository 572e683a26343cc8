/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { urlSchemes } from '../../lib/options/option-rules.ts';
import { callback, flag, groupOr, type Table, table } from '../../lib/options/option-table.ts';
import { rootsRule } from './handler-rules.ts';
import type { ClientHandlers } from './handlers.ts';
import { handlerTaskOptions } from './tasks/options.table.ts';

export const clientHandlers = /* @__PURE__ */ table(
  () =>
    ({
      elicitForm: callback,
      elicitUrl: callback,
      onElicitationComplete: callback,
      allowedUrlSchemes: urlSchemes,
      sample: callback,
      samplingTools: flag(false),
      roots: rootsRule,
      tasks: groupOr([true, false], handlerTaskOptions, true),
    }) satisfies Table<ClientHandlers>,
);
