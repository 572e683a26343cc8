/** The middlewares of a server with everything on: trace context, permission, audit. Each takes a call and `next`. */
import { tools } from './tools.mjs';

const allowed = new Set(tools.map(({ name }) => name));
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const spans = [];
const audit = { calls: 0, ms: 0 };

const tracedWith = (contextOf) =>
  async function traced(call, next) {
    const parent = traceparent.exec(contextOf(call).meta.traceparent ?? '');
    if (parent === null) throw new Error('no trace context');
    const settled = await next();
    spans[audit.calls % 1024] = { trace: parent[1], parent: parent[2], name: call.target };
    return settled;
  };

function permitted(call, next) {
  if (call.method === 'tools/call' && !allowed.has(call.target)) throw new Error('not allowed');
  return next();
}

async function audited(_, next) {
  const started = performance.now();
  const settled = await next();
  audit.calls += 1;
  audit.ms += performance.now() - started;
  return settled;
}

/** `contextOf(call)` is the context of a call, whose name older commits have differently. */
export const middlewaresWith = (contextOf) => [tracedWith(contextOf), permitted, audited];

export const middlewares = middlewaresWith((call) => call.ctx);

export const timeoutMs = 10_000;

/** An asynchronous handler that uses the signal. */
export const handlerOf =
  (run) =>
  async (given, { signal }) => {
    signal.throwIfAborted();
    return run(given);
  };
