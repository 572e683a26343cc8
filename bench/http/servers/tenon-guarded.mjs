/** Ours with the layers that the settings name: API keys, a policy of so many rules, limits, an audit log in files, traces, a store with sessions. */
import { readFileSync } from 'node:fs';
import { protectWithApiKeys } from '../../../dist/auth.js';
import { auditFolder, createPolicy, guard } from '../../../dist/guard.js';
import { createServer, serveHttp, tool } from '../../../dist/node.js';
import { card } from '../../lib/tools.mjs';
import { announce, tools } from './announce.mjs';

const { keys: given, policy = 0, limits, audit, trace, store, ttlMs } = JSON.parse(process.argv[4]);
/** Many keys are in a file. */
const keys = typeof given === 'string' ? JSON.parse(readFileSync(given, 'utf8')) : given;

/** All rules but one are about other tools, and the last about those of the benchmark. */
const rules = [
  ...Array.from(
    { length: Math.max(0, policy - 1) },
    (_, n) => `{id: other${n}, allow: [list, call], to: {scope: s${n}}, on: {tool: "other${n}_*"}}`,
  ),
  '{id: all, allow: [list, call], to: authenticated, on: {tool: "*"}}',
];
const document = `version: 1\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;

const layers = {
  ...(policy > 0 && { policy: createPolicy(document) }),
  ...(limits && { limits: { perPrincipal: '1000000000/min', concurrent: 1000 } }),
  ...(audit && { audit: auditFolder(audit) }),
};

/** What a tracer reads of each call. */
const traced = async ({ ctx: context, method }, next) => {
  const started = performance.now();
  try {
    return await next();
  } finally {
    spans += performance.now() - started > 0 && method !== '' && context.caller !== undefined ? 1 : 0;
  }
};
let spans = 0;

const ready = ({ name, description, schema, run }) => [name, tool({ description, inputSchema: schema }, run)];
const server = createServer(
  { ...card, tools: Object.fromEntries(tools.map(ready)) },
  {
    ...(Object.keys(layers).length > 0 && { guard: guard(layers) }),
    ...(trace && { middleware: [traced] }),
    ...(store && { secrets: ['the secret of a benchmark'], idempotency: { ttlMs } }),
  },
);
/** Sessions and keys are stored for `ttlMs`. The stores are loaded only where one is used. */
const storing = async () => {
  const { openStore } = await import('../../stores/subjects.mjs');
  return { store: await openStore(store), sessions: { idleTimeoutMs: ttlMs } };
};
const serving = store === undefined ? { sessions: false } : await storing();
announce((await serveHttp(server, { port: 0, authenticate: protectWithApiKeys({ keys }), ...serving })).port);
