/** TypeBox, which compiles the official schema when it starts. */
import { Compile } from 'typebox/schema';
import { judging } from '../judging.mjs';
import { keyword, missing, officialSchema } from '../official.mjs';

export function prepare(message) {
  const schema = officialSchema(message.revision);
  if (schema === undefined) return missing;
  const validator = Compile({ ...schema, $ref: `#/${keyword(schema)}/${message.definition}` });
  return judging((value) => validator.Check(value), message);
}
