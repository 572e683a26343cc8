/** A server for pages of another origin: they sign their users in, and call its tools. */
import { randomBytes } from 'node:crypto';
import { createServer, serveHttp, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { authorizationServer } from 'tenon/auth-server';
import { z } from 'zod';

const { PORT = '3000', PAGE = 'http://localhost:5173' } = process.env;
const { ISSUER = 'http://127.0.0.1:9000', CLIENT_ID = 'weather', CLIENT_SECRET = 'secret' } = process.env;
// Without one of yours, users sign in again after a restart.
const { AUTH_SECRET = randomBytes(32).toString('base64url') } = process.env;
const { ORIGIN = `http://127.0.0.1:${PORT}` } = process.env;

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    whoami: tool({}, (_, ctx) => ctx.caller.principal?.subject ?? 'anonymous'),
    count: tool({ inputSchema: z.object({ to: z.number().int().max(100) }) }, ({ to }, ctx) => {
      for (let at = 1; at <= to; at++) ctx.reportProgress(at, to);
      return `Counted to ${to}`;
    }),
  },
});
const auth = authorizationServer({
  signIn: { name: 'provider', issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
  secrets: [AUTH_SECRET],
  issuer: ORIGIN,
});
const service = await serveHttp(server, {
  port: Number(PORT),
  allowedHosts: [new URL(ORIGIN).hostname],
  allowedOrigins: [PAGE], // pages of no other origin can read a response
  authenticate: protect({ issuer: auth, resource: `${ORIGIN}/mcp` }),
  store: 'memory:',
  closeOnSignals: true,
});
console.log(`ready ${service.url}`);
