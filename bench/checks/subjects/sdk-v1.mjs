/** The official SDK, version 1: its own zod schemas, one set for all revisions it knows. */
import { CallToolRequestParamsSchema, ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { judging } from '../judging.mjs';

const schemas = { CallToolRequestParams: CallToolRequestParamsSchema, ListToolsResult: ListToolsResultSchema };

export function prepare(message) {
  const schema = schemas[message.definition];
  return judging((value) => schema.safeParse(value).success, message);
}
