/** The official SDK, version 2: the zod schemas it publishes, one set for all revisions it knows. */
import { CallToolRequestParamsSchema, ListToolsResultSchema } from '@modelcontextprotocol/core';
import { judging } from '../judging.mjs';

const schemas = { CallToolRequestParams: CallToolRequestParamsSchema, ListToolsResult: ListToolsResultSchema };

export function prepare(message) {
  const schema = schemas[message.definition];
  return judging((value) => schema.safeParse(value).success, message);
}
