/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, group, ms, type Table, table, withDefault } from '../lib/options/option-table.ts';
import { type CodeLimits, type CodeToolkitOptions, scriptMemory } from './options.ts';

export const codeLimits = /* @__PURE__ */ table(
  () =>
    ({
      timeMs: ms(1000),
      maxMemoryBytes: withDefault(scriptMemory, 67_108_864),
      maxCalls: count(100),
      maxScriptChars: count(100_000),
      maxArgumentChars: count(100_000),
      maxResultChars: count(1_000_000),
      maxOutputChars: count(20_000),
      maxApiChars: count(20_000),
      maxScripts: count(8),
    }) satisfies Table<CodeLimits>,
);

export const codeToolkitOptions = /* @__PURE__ */ table(
  () =>
    ({
      tools: callback,
      limits: group(codeLimits),
    }) satisfies Table<CodeToolkitOptions>,
);
