/** A bare `node:http` server with canned answers that any client can connect to: its cost is the same for all clients. */
import { createServer } from 'node:http';
import { announce } from '../http/servers/announce.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';

const { revision } = lifecycles.exchange;
const serverInfo = { name: 'canned', version: '1.0.0' };
const capabilities = { tools: {} };
const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
const content = [{ type: 'text', text: 'hello' }];
const inputSchema = { type: 'object', properties: { message: { type: 'string' } } };
const tools = [{ name: 'echo', inputSchema }];
const whole = { resultType: 'complete', _meta: meta };
const fresh = { ttlMs: 0, cacheScope: 'private' };

const session = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
  'tools/call': () => ({ content }),
  'tools/list': () => ({ tools }),
};
const exchange = {
  'server/discover': () => ({ supportedVersions: [revision], capabilities, ...fresh, ...whole }),
  'tools/call': () => ({ content, ...whole }),
  'tools/list': () => ({ tools, ...fresh, ...whole }),
};

/** Supports one lifecycle, so that clients must use it. */
const results = process.argv[2] === 'exchange' ? exchange : session;

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
  let body;
  request.on('data', (chunk) => (body = body === undefined ? chunk : Buffer.concat([body, chunk])));
  request.on('end', () => answer(JSON.parse(body.toString('utf8')), response));
});

function answer({ id, method, params }, response) {
  if (id === undefined) return response.writeHead(202).end();
  const result = results[method]?.(params);
  const text = JSON.stringify(
    result === undefined
      ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
      : { jsonrpc: '2.0', id, result },
  );
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => announce(server.address().port));
