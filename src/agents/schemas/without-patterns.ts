/** Patterns as text, for frameworks that check arguments themselves: a pattern of a server may run for days there. */
import { isRecord } from '../../lib/values/is.ts';
import { describe, mapSubschemas, type Node } from './nodes.ts';

/** Accepts what the schema accepts, and more. For a schema that was lowered for OpenAI: nothing in it tests a part for failing. */
export const withoutPatterns = (root: Node): Node => visit(root, '') as Node;

function visit(schema: unknown, path: string): unknown {
  if (!isRecord(schema)) return schema;
  // Without the names that fit, all others would be refused.
  const dependent = schema.patternProperties === undefined ? [] : ['patternProperties', 'additionalProperties'];
  return mapSubschemas(describe(schema, ['pattern', ...dependent]).node, path, visit);
}
