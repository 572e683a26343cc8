/** Next: one route handler for `/mcp` and `/mcp/events`, by an optional catch-all segment. */
import { toFetchHandler } from 'tenon/server';
import { server } from '../../../../server.ts';

// The host names that clients use: a request to any other host gets 403.
const handler = toFetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1', 'mcp.example.com'] });

export { handler as DELETE, handler as GET, handler as POST };
