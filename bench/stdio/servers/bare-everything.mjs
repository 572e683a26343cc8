/** A bare loop with everything on, for both lifecycles: the same middlewares, a timer and an abort signal for each call, without a library. */
import { handlerOf, middlewares, timeoutMs } from '../../lib/middlewares.mjs';
import { card, tools } from '../../lib/tools.mjs';
import { readLines } from './bare-loop.mjs';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const meta = { 'io.modelcontextprotocol/serverInfo': card };
const byName = new Map(
  tools.map(({ name, schema, run }) => [name, { validate: schema['~standard'].validate, handle: handlerOf(run) }]),
);

/** Runs the rest of the middlewares, then the call. */
const through = (call, left) =>
  left === middlewares.length ? run(call) : middlewares[left](call, () => through(call, left + 1));

function run({ target, given, signal }) {
  const { validate, handle } = byName.get(target);
  const checked = validate(given);
  if (checked.issues !== undefined) throw new Error('bad arguments');
  return handle(checked.value, { signal });
}

async function answer({ id, method, params }) {
  if (method === 'initialize') {
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: card };
    return send({ jsonrpc: '2.0', id, result });
  }
  if (method !== 'tools/call') return;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const { name: target, arguments: given, _meta = {} } = params;
  const text = await through({ method, target, given, ctx: { meta: _meta }, signal: controller.signal }, 0);
  clearTimeout(timer);
  const content = [{ type: 'text', text }];
  const alone = typeof _meta[versionKey] === 'string';
  send({ jsonrpc: '2.0', id, result: alone ? { content, resultType: 'complete', _meta: meta } : { content } });
}

let out = '';

/** One write per turn of the event loop. */
function send(message) {
  if (out === '') setImmediate(flush);
  out += `${JSON.stringify(message)}\n`;
}

function flush() {
  process.stdout.write(out);
  out = '';
}

readLines((line) => void answer(JSON.parse(line.toString('utf8'))));
