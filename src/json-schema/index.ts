/** Plain JSON Schema for tools and prompts. */

export type { Schema } from '../schema/standard.ts';
export type { JsonSchemaOptions } from './json-schema.ts';
export { fromJsonSchema } from './json-schema.ts';
export type { JsonSchemaLimits } from './limits.ts';
export { defaultLimits } from './limits.ts';
