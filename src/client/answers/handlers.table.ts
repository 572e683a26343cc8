/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, flag, groupOr, type Table } from '../../lib/options/option-table.ts';
import { rootsRule, urlSchemes } from './handler-rules.ts';
import type { ClientHandlers } from './handlers.ts';
import { handlerTaskOptions } from './tasks/options.table.ts';

export const clientHandlers = {
  elicitForm: callback,
  elicitUrl: callback,
  onElicitationComplete: callback,
  allowedUrlSchemes: urlSchemes,
  sample: callback,
  samplingTools: flag(false),
  roots: rootsRule,
  tasks: groupOr([true, false], handlerTaskOptions, true),
} as const satisfies Table<ClientHandlers>;
