/** Next: one route handler at `/mcp` and at `/mcp/events`, which is why it stands in a folder of an optional segment. */
import { toFetchHandler } from 'tenon/server';
import { server } from '../../../../server.ts';

const handler = toFetchHandler(server);

export { handler as DELETE, handler as GET, handler as POST };
