/** zod 4 in its usual form: parsing, which copies valid values and collects issues. */
import { judging } from '../judging.mjs';
import { schemas } from '../zod-schemas.mjs';

export function prepare(message) {
  const schema = schemas[message.revision][message.definition];
  return judging((value) => schema.safeParse(value).success, message);
}
