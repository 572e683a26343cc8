/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, group, type Table, table } from '../lib/options/option-table.ts';
import { type JsonSchemaLimits, type JsonSchemaOptions, maxChars, maxDepth, maxEnumLength, maxPatternLength, maxPatterns, maxReferences, maxValueDepth } from './limits.ts';

export const jsonSchemaLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxNodes: count(20_000),
      maxSteps: count(5_000_000),
    }) satisfies Table<JsonSchemaLimits>,
  {
    maxDepth,
    maxChars,
    maxEnumLength,
    maxReferences,
    maxPatterns,
    maxPatternLength,
    maxValueDepth,
  },
);

export const jsonSchemaOptions = /* @__PURE__ */ table(
  () =>
    ({
      limits: group(jsonSchemaLimits),
    }) satisfies Table<JsonSchemaOptions>,
);
