/** Next: one route handler at `/mcp` and at `/mcp/events`, which is why it stands in a folder of an optional segment. */
import { toFetchHandler } from 'tenon/server';
import { server } from '../../../../server.ts';

// The names that clients use: a request to any other host gets 403.
const handler = toFetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1', 'mcp.example.com'] });

export { handler as DELETE, handler as GET, handler as POST };
