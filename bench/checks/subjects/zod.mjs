/** zod 4 as it is used most: parsing, which copies what it accepts and gathers what it refuses. */
import { judging } from '../judging.mjs';
import { schemas } from '../zod-schemas.mjs';

export function prepare(message) {
  const schema = schemas[message.revision][message.definition];
  return judging((value) => schema.safeParse(value).success, message);
}
