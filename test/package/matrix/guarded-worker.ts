/** A server in a worker with all that guards it, and with a store, at module scope. */
import { protect } from 'tenon/auth';
import { createPolicy, guard } from 'tenon/guard';
import { createServer, toFetchHandler, tool } from 'tenon/server';
import { createMemoryStore } from 'tenon/store';

const policy = createPolicy(`
version: 1
rules:
  - { id: all, allow: [list, call], to: any, on: { tool: [now, deploy] } }
  - { id: deployments, ask: [call], to: any, on: { tool: deploy }, approver: { role: ops } }
`);
const guarded = guard({ policy, limits: { perPrincipal: '100/min', concurrent: 4 }, approvals: { waitMs: 0 } });
const tools = { now: tool({}, () => 'sun'), deploy: tool({}, () => 'deployed'), wipe: tool({}, () => 'wiped') };
const server = createServer({ name: 'ops', version: '1.0.0', tools }, { guard: guarded, idempotency: {} });
const issuer = 'https://id.example.com';
const handler = toFetchHandler(server, {
  allowedHosts: ['127.0.0.1'],
  store: createMemoryStore(),
  authenticate: protect({
    issuer,
    resource: 'http://127.0.0.1/mcp',
    dpop: 'optional',
    verify: (token) => ({ issuer, subject: token }),
  }),
});

export default { fetch: (request: Request) => handler(request) };
