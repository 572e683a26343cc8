/** Checks a new connection against the contract of the client. */
import type { Contract } from '../api/contract.ts';
import type { Connection } from './connection.ts';

/** The connection; closed again if the server does not fit. */
export async function withContract(connection: Connection, contract: Contract, timeoutMs: number): Promise<Connection> {
  const { capabilities, conversation } = connection;
  try {
    await contract.check({
      protocolVersion: conversation.revision.id,
      capabilities,
      request: async (method, params) => (await conversation.call(method, params, { timeoutMs })).result,
    });
    return connection;
  } catch (error) {
    connection.close(error as Error);
    throw error;
  }
}
