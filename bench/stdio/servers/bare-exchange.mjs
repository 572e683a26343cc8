/** A bare loop for exchanges: it checks the envelope and writes the required fields of a result around the text. */

import { card } from '../../lib/tools.mjs';
import { callTool, serve } from './bare-loop.mjs';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const meta = { 'io.modelcontextprotocol/serverInfo': card };

serve(({ id, method, params }) => {
  if (method !== 'tools/call' || typeof params._meta?.[versionKey] !== 'string') return undefined;
  const result = { content: [{ type: 'text', text: callTool(params) }], resultType: 'complete', _meta: meta };
  return { jsonrpc: '2.0', id, result };
});
