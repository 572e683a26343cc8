/** The limit of `node:http` itself: reads, parses and answers each body, with the same schema and the same checks of both lifecycles. */
import { randomUUID } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { z } from 'zod';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { card, createCaller, createTrustingCaller } from '../../lib/tools.mjs';
import { hasSessions, listen, tools } from './announce.mjs';

const key = 'io.modelcontextprotocol/';
const { revision } = lifecycles.exchange;
const sessions = new Map();
const meta = { [`${key}serverInfo`]: card };

const shown = tools.map(({ name, description, schema }) => ({
  description,
  name,
  inputSchema: z.toJSONSchema(schema, { io: 'input' }),
}));
/** Each list is served from one string. */
const lists = {
  session: JSON.stringify({ tools: shown }),
  exchange: JSON.stringify({ tools: shown, resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: meta }),
};

/**
 * With settings it writes so many bytes for each request, half of them before and half after it, as an audit log does.
 * `trusting` checks neither envelope, headers nor arguments.
 */
const { file, bytes = 0, trusting = false } = JSON.parse(process.argv[4] ?? '{}');
const textOf = trusting ? createTrustingCaller(tools) : createCaller(tools);
const log = file && openSync(file, 'a');
const half = Buffer.alloc(bytes / 2, 'x');
const record = () => log !== undefined && writeSync(log, half);

listen(
  createServer((request, response) => {
    let body;
    request.on('data', (chunk) => (body = body === undefined ? chunk : Buffer.concat([body, chunk])));
    request.on('end', () => {
      record();
      const message = JSON.parse(body.toString('utf8'));
      record();
      take(request.headers, message, response);
    });
  }),
);

function take(headers, message, response) {
  if (message.params?._meta?.[`${key}protocolVersion`] !== undefined) takeExchange(headers, message, response);
  else takeSession(headers, message, response);
}

function takeExchange(headers, { id, method, params }, response) {
  const envelope = params._meta;
  const fits =
    trusting ||
    (headers['mcp-protocol-version'] === revision &&
      envelope[`${key}protocolVersion`] === revision &&
      typeof envelope[`${key}clientInfo`]?.name === 'string' &&
      typeof envelope[`${key}clientCapabilities`] === 'object' &&
      headers['mcp-method'] === method &&
      (method !== 'tools/call' || headers['mcp-name'] === params.name));
  if (!fits) return send(response, 400, '{}');
  if (method === 'tools/list') return send(response, 200, withResult(id, lists.exchange));
  const content = [{ type: 'text', text: textOf(params.name, params.arguments) }];
  send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: { content, resultType: 'complete', _meta: meta } }));
}

function takeSession(headers, { id, method, params }, response) {
  if (method === 'initialize') return greet(id, params.protocolVersion, response);
  if (hasSessions && !sessions.has(headers['mcp-session-id'])) return send(response, 404, '{}');
  if (id === undefined) return send(response, 202, '');
  if (method === 'tools/list') return send(response, 200, withResult(id, lists.session));
  const content = [{ type: 'text', text: textOf(params.name, params.arguments) }];
  send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
}

function greet(id, protocolVersion, response) {
  if (hasSessions) {
    const session = { id: randomUUID(), protocolVersion };
    sessions.set(session.id, session);
    response.setHeader('mcp-session-id', session.id);
  }
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: card };
  send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const withResult = (id, result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
