/** Next: a route handler at `/mcp`. */
import { toFetch } from 'tenon/server';
import { server } from '../../../server.ts';

const handler = toFetch(server);

export { handler as DELETE, handler as GET, handler as POST };
