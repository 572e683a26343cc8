/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table } from '../lib/options/option-table.ts';
import { scriptedForms, type ScriptedHandlers, scriptedRoots, scriptedSamples, scriptedUrls } from './script.ts';

export const scriptedHandlers = /* @__PURE__ */ table(
  () =>
    ({
      elicitForm: scriptedForms,
      elicitUrl: scriptedUrls,
      sample: scriptedSamples,
      roots: scriptedRoots,
    }) satisfies Table<ScriptedHandlers>,
);
