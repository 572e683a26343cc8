/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../lib/options/fixed-limits.ts';
import { count, group, type Table } from '../lib/options/option-table.ts';
import { type JsonSchemaLimits, type JsonSchemaOptions, maxChars, maxDepth, maxEnumLength, maxPatternLength, maxPatterns, maxReferences, maxValueDepth } from './limits.ts';

export const jsonSchemaLimits = {
  maxNodes: count(20_000),
  maxSteps: count(5_000_000),
  [fixed]: {
    maxDepth,
    maxChars,
    maxEnumLength,
    maxReferences,
    maxPatterns,
    maxPatternLength,
    maxValueDepth,
  },
} as const satisfies Table<JsonSchemaLimits>;

export const jsonSchemaOptions = {
  limits: group(jsonSchemaLimits),
} as const satisfies Table<JsonSchemaOptions>;
