/** Plain JSON Schema for tools and prompts. */

export { fromJsonSchema } from './json-schema.ts';
export type { JsonSchemaOptions } from './limits.ts';
