/** A file whose default export is a server of the official MCP SDK, or a function that creates one. */
import type { ServerLike } from '../../client/connect.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { OfficialSource } from '../../official/types.ts';
import { isOfficialServer } from '../../ports/official-server.ts';
import { usageError } from '../usage-error.ts';

/** The server as a Tenon server; `undefined` for any other export. */
export async function officialExport(target: string, main: unknown): Promise<ServerLike | undefined> {
  if (typeof main !== 'function' && !isOfficialServer(main)) return undefined;
  const { fromOfficial } = await import('../../node/entries/official.ts');
  try {
    return await fromOfficial(main as OfficialSource);
  } catch (error) {
    if (!(error instanceof TenonError) || error.code !== 'instance-failed') throw error;
    throw usageError(
      `The default export of ${target} is no server: ${messageWithoutHint(error)}`,
      'Export a server by createServer(), or a function that returns a new McpServer of the official SDK.',
    );
  }
}
