/** The messages to check: valid and invalid ones as JSON text, the same on every machine. */

const newest = '2026-07-28';
const previous = '2025-11-25';

const envelope = {
  progressToken: 'call-1',
  'io.modelcontextprotocol/protocolVersion': newest,
  'io.modelcontextprotocol/clientInfo': { name: 'bench-client', title: 'Bench client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} },
};

const call = {
  name: 'search_files',
  arguments: { query: 'where the handshake ends', limit: 20, kind: 'file', recursive: true, tags: ['a', 'b'] },
};

function toolNumber(index) {
  return {
    name: `search_${String(index).padStart(2, '0')}`,
    description: `Search the index number ${index} for things that match a query and return them, best first.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Free text to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Most results to return' },
        kind: { type: 'string', enum: ['file', 'folder', 'symbol', 'commit'], description: 'What to look for' },
      },
      required: ['query', 'kind'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

const tools = Array.from({ length: 50 }, (_, index) => toolNumber(index));
const badAtTheEnd = [...tools.slice(0, -1), { ...toolNumber(49), inputSchema: { type: 'array' } }];
const cacheable = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' };

const callMessage = { method: 'tools/call', part: 'params', definition: 'CallToolRequestParams' };
const listMessage = { method: 'tools/list', part: 'result', definition: 'ListToolsResult' };

const message = (title, revision, kind, valid, value) => ({
  title: `${revision} ${title}`,
  revision,
  valid,
  text: JSON.stringify(value),
  ...kind,
});

/** Every subject must refuse an invalid message, so it is invalid under the loosest of their schemas too. */
export const messages = [
  message('tools/call', newest, callMessage, true, { _meta: envelope, ...call }),
  message('tools/call, bad arguments', newest, callMessage, false, { _meta: envelope, ...call, arguments: 'a query' }),
  message('tools/list of 50', newest, listMessage, true, { ...cacheable, tools }),
  message('tools/list of 50, last one bad', newest, listMessage, false, { ...cacheable, tools: badAtTheEnd }),
  message('tools/call', previous, callMessage, true, { _meta: { progressToken: 'call-1' }, ...call }),
  message('tools/list of 50', previous, listMessage, true, { tools }),
];
