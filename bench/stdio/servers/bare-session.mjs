/** A bare loop for sessions. */

import { card } from '../../lib/tools.mjs';
import { callTool, serve } from './bare-loop.mjs';

serve(({ id, method, params }) => {
  if (method === 'tools/call') {
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: callTool(params) }] } };
  }
  if (method !== 'initialize') return undefined;
  const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: card };
  return { jsonrpc: '2.0', id, result };
});
