/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, type Table } from '../../lib/options/option-table.ts';
import type { Consent } from './consent.ts';

export const consent = {
  tool: callback,
  sample: callback,
  sampleResult: callback,
  roots: callback,
  resource: callback,
  prompt: callback,
} as const satisfies Table<Consent>;
