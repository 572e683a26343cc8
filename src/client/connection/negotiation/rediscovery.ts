/** Finds out, after a refusal that makes no sense, whether the server still is the one that was discovered. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { Connection } from '../connection.ts';
import { lacksHandshake } from './negotiate.ts';

const refusals: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Whether a refusal may come of a server that does not know exchanges, and so has not begun what it was asked for. */
export function needsRediscovery(error: unknown): boolean {
  if (error instanceof RpcError) return error.reason === 'unsupported-revision';
  if (!(error instanceof TenonError)) return false;
  return (error.code === 'endpoint-missing' || error.code === 'http-refused') && refusals.has(error.details.status);
}

const timeoutMs = 5000;
/** Calls that are refused at once ask once. */
const checks = new WeakMap<Connection, Promise<boolean>>();

/** Whether the server says itself that it serves what is spoken. Who is not sure of it keeps the connection. */
export function stillServes(connection: Connection): Promise<boolean> {
  const { revision } = connection.conversation;
  if (!lacksHandshake(revision.id)) return Promise.resolve(true);
  // Another call has found out before this one.
  if (connection.isClosed) return Promise.resolve(false);
  const known = checks.get(connection);
  if (known !== undefined) return known;
  const check = connection.conversation
    .call('server/discover', undefined, { timeoutMs })
    .then(({ result }) => (result.supportedVersions as string[]).includes(revision.id))
    .catch((error) => !needsRediscovery(error) && !isUnknownMethod(error))
    .finally(() => checks.delete(connection));
  checks.set(connection, check);
  return check;
}

const isUnknownMethod = (error: unknown): boolean => error instanceof RpcError && error.reason === 'method-not-found';

/** Why such a connection ends. It is no reason not to connect anew. */
export const serverReplaced = (cause: unknown): TenonError =>
  new TenonError('connection-closed', 'The server does not serve what it was discovered to serve any more.', { cause });
