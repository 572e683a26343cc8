/** ajv, which compiles the official schema when it starts. */
import { judging } from '../judging.mjs';
import { ajvFor, missing, officialSchema, place } from '../official.mjs';

export function prepare(message) {
  const schema = officialSchema(message.revision);
  if (schema === undefined) return missing;
  return judging(ajvFor(schema).getSchema(place(schema, message.definition)), message);
}
