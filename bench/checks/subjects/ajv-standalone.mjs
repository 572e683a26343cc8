/** Code that ajv generated ahead of time from the official schema. */
import { judging } from '../judging.mjs';
import { missing, officialSchema } from '../official.mjs';
import { standaloneModule } from '../standalone.mjs';

export async function prepare(message) {
  const schema = officialSchema(message.revision);
  if (schema === undefined) return missing;
  const code = await standaloneModule(schema, [message.definition]);
  const { [message.definition]: check } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return judging(check, message);
}
