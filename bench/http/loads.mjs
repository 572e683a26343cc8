/** The requests to the servers, as bytes, each with a function that checks the answer. */
import { initialized, lifecycles } from '../lib/lifecycles.mjs';
import { messageIn } from './response.mjs';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const listed = 52;

const calling = {
  message: (lifecycle, id) => lifecycle.call(id, 'add', { a: id, b: 7 }),
  isRight: (id) => (result) => result.isError !== true && result.content?.[0]?.text === String(id + 7),
};
const tracing = { ...calling, message: (lifecycle, id) => lifecycle.call(id, 'add', { a: id, b: 7 }, { traceparent }) };
const listing = {
  message: (lifecycle, id) => lifecycle.list(id),
  isRight: () => (result) => result.tools?.length === listed && result.nextCursor === undefined,
};

const all = ['plain', 'control', 'ours', 'peer'];
const own = ['plain', 'control', 'ours', 'everything'];
const call = { kinds: all, tools: 2, ids: 1024, make: calling };
const list = { kinds: all, tools: listed, ids: 64, make: listing };
const traced = { kinds: own, tools: 2, ids: 1024, make: tracing };

/** `kinds` are the subjects that take part. `sessions` is the number of sessions that share the requests. Default: none. */
export const loads = [
  { title: 'tools/call', lifecycle: 'exchange', ...call, kinds: [...all, 'trusting'] },
  { title: 'tools/call, no sessions', lifecycle: 'session', ...call, kinds: [...all, 'trusting'] },
  { title: 'tools/call, 200 sessions', lifecycle: 'session', sessions: 200, ...call },
  { title: 'tools/list of 52', lifecycle: 'exchange', ...list },
  { title: 'tools/list of 52, no sessions', lifecycle: 'session', ...list },
  { title: 'tools/call with trace context', lifecycle: 'exchange', ...traced },
  { title: 'tools/call with trace context, no sessions', lifecycle: 'session', ...traced },
];

/** One request per id, which is its index plus one, with the `headers` of the load for it. Opens the sessions of the load, unless they are given. */
export async function requestsOf(load, server, given) {
  const { lifecycle: name, sessions = 0, ids, make, headers: own = () => ({}) } = load;
  const lifecycle = lifecycles[name];
  const opened = given ?? (await openSessions(server, sessions));
  return Array.from({ length: ids }, (_, place) => {
    const id = place + 1;
    const message = make.message(lifecycle, id);
    const headers = { ...headersOf(lifecycle, message, opened[place % opened.length]), ...own(id) };
    return { bytes: bytesOf(server.port, headers, message), isRight: make.isRight(id) };
  });
}

/** Opens several at a time: some servers take a second for a handshake. */
const together = 100;

/** `own` are headers of their client. */
export async function openSessions(server, count, own = {}) {
  const opened = [];
  while (opened.length < count) {
    const missing = Math.min(together, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: missing }, () => openSession(server, own)))));
  }
  return opened;
}

/** Makes the handshake and returns the headers of the session's requests. */
export async function openSession(server, own = {}) {
  const { status, headers, text } = await server.post({ ...plain, ...own }, lifecycles.session.handshake());
  const id = headers['mcp-session-id'];
  if (status !== 200 || id === undefined) throw new Error(`the handshake got ${status}: ${text.slice(0, 500)}`);
  // An older revision is fine here: calls and their answers are the same in both.
  const { protocolVersion } = messageIn(text).result;
  const known = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion };
  const response = await server.post({ ...plain, ...own, ...known }, initialized);
  if (response.status !== 202)
    throw new Error(`the end of the handshake got ${response.status}: ${response.text.slice(0, 500)}`);
  return known;
}

const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function headersOf(lifecycle, { method, params }, session) {
  if (session !== undefined) return { ...plain, ...session };
  const versioned = { ...plain, 'mcp-protocol-version': lifecycle.revision };
  if (lifecycle === lifecycles.session) return versioned;
  return { ...versioned, 'mcp-method': method, ...(params.name !== undefined && { 'mcp-name': params.name }) };
}

function bytesOf(port, headers, message) {
  const body = JSON.stringify(message);
  const all = { host: `127.0.0.1:${port}`, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
