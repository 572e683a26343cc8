/** Loads the lowering of schemas with its first use: it is a quarter of the code of `tenon/agents`. */
import type { LoweredSchema } from './lower-schema.ts';
import type { SchemaTarget } from './report.ts';

type Lowered = LoweredSchema | { readonly problem: string };

export type LowerSchema = (schema: object, target: SchemaTarget) => Lowered;

export const loadLowering = async (): Promise<LowerSchema> => (await import('./lower-schema.ts')).lowerSchema;

/**
 * Lowers a schema to what a provider accepts, as the lists of a toolkit do. The same schema and target have the same result.
 * `problem` says why a tool with this schema has to be left out.
 */
export async function lowerSchema(schema: object, target: SchemaTarget): Promise<Lowered> {
  return (await loadLowering())(schema, target);
}
