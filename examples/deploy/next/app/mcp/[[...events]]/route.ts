/** The route of Next for `/mcp` and `/mcp/events`: each request may reach another instance. */
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { toFetchHandler } from 'tenon/server';
import { server } from '../../../weather';

/** Seconds that a call may take where the platform ends it: a little more than the longest tool. */
export const maxDuration = 60;

const handler = toFetchHandler(server, {
  allowedHosts: [process.env.PUBLIC_HOST ?? 'localhost'],
  sessions: false,
  authenticate: protectWithApiKeys({ keys: JSON.parse(process.env.API_KEYS ?? '[]') as ApiKey[] }),
});

export { handler as DELETE, handler as GET, handler as POST };
