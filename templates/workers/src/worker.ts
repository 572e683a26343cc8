/** The worker, all of it at module scope: each request is served by itself, without a session. */
import { env } from 'cloudflare:workers';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { toFetchHandler } from 'tenon/server';
import { createMyServer } from './server.ts';

const { PUBLIC_HOST, SECRET, API_KEYS = '[]' } = env;

// The answer to a question of a tool may reach another instance, which needs the same secret.
const server = createMyServer(SECRET === undefined ? {} : { secrets: [SECRET] });

const handler = toFetchHandler(server, {
  allowedHosts: [PUBLIC_HOST],
  sessions: false, // a request cannot wait for another one here
  // On this machine everyone may call. Elsewhere a caller needs a key: without API_KEYS there is none.
  ...(PUBLIC_HOST !== '127.0.0.1' && { authenticate: protectWithApiKeys({ keys: JSON.parse(API_KEYS) as ApiKey[] }) }),
});

export default { fetch: (request: Request): Promise<Response> => handler(request) };
