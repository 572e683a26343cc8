/** The route for `/mcp` and `/mcp/events`: each request may reach another instance, so there are no sessions. */
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { toFetchHandler } from 'tenon/server';
import server from '../../../server.ts';

const { PUBLIC_HOST = '127.0.0.1', API_KEYS = '[]' } = process.env;

/** Seconds that a call may take where the platform ends it: a little more than the longest tool. */
export const maxDuration = 60;

const handler = toFetchHandler(server, {
  allowedHosts: [PUBLIC_HOST],
  sessions: false,
  // On this machine everyone may call. Elsewhere a caller needs a key: without API_KEYS there is none.
  ...(PUBLIC_HOST !== '127.0.0.1' && { authenticate: protectWithApiKeys({ keys: JSON.parse(API_KEYS) as ApiKey[] }) }),
});

export { handler as DELETE, handler as GET, handler as POST };
