/** Plain JSON Schema for tools and prompts. */

export type { JsonSchemaOptions } from './json-schema.ts';
export { fromJsonSchema } from './json-schema.ts';
