/** Our server with everything on: trace context read, permission and audit in a chain of three, a time-out, the signal taken. */
import { createServer, rpcError, tool } from '../../dist/node.js';
import { card, tools } from './tools.mjs';

const allowed = new Set(tools.map(({ name }) => name));
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const spans = [];
const audit = { calls: 0, ms: 0 };

async function traced(call, next) {
  const parent = traceparent.exec(call.context.meta.traceparent ?? '');
  if (parent === null) throw rpcError('invalid-params', 'no trace context');
  const settled = await next();
  spans[audit.calls % 1024] = { trace: parent[1], parent: parent[2], name: call.target };
  return settled;
}

function permitted(call, next) {
  if (call.method === 'tools/call' && !allowed.has(call.target)) throw rpcError('invalid-params', 'not allowed');
  return next();
}

async function audited(_, next) {
  const started = performance.now();
  const settled = await next();
  audit.calls += 1;
  audit.ms += performance.now() - started;
  return settled;
}

const ready = ({ name, description, schema, run }) => [
  name,
  tool({ description, input: schema, timeoutMs: 10_000 }, async (given, { signal }) => {
    signal.throwIfAborted();
    return run(given);
  }),
];

const definition = { ...card, tools: Object.fromEntries(tools.map(ready)) };

export const createEverything = () => createServer(definition, { middleware: [traced, permitted, audited] });
