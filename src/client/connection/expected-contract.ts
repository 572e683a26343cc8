/** Checks a new connection against the contract of the client. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Contract } from '../api/contract.ts';
import type { Connection } from './connection.ts';

/** The connection; closed again if the server does not fit. Comparing is bounded in steps, to about half a second. */
export async function withContract(
  connection: Connection,
  contract: Contract,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  const { capabilities, conversation } = connection;
  try {
    await contract.check({
      protocolVersion: conversation.revision.id,
      capabilities,
      request: async (method, params) => (await conversation.call(method, params, { timeoutMs, signal })).result,
    });
    return connection;
  } catch (error) {
    connection.close(error as Error);
    throw error;
  }
}

/** The error of a server whose lists take too long. */
export const contractTimedOut = (timeoutMs: number): TenonError =>
  new TenonError('timeout', `The lists of the contract were not complete within ${timeoutMs} ms.`, {
    hint: 'Raise the option "timeoutMs", or look for a server whose lists do not end.',
    details: { timeoutMs },
  });
