/** Discovers a server again after a refusal that makes no sense: it may have been replaced by another one. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { Connection } from '../connection.ts';
import { lacksHandshake } from './negotiate.ts';

const refusals: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Whether a refusal may come from a server that does not know exchanges, and so did not start the request. */
export function needsRediscovery(error: unknown): boolean {
  if (error instanceof RpcError) return error.reason === 'unsupported-protocol-version';
  if (!(error instanceof TenonError)) return false;
  return (error.code === 'endpoint-not-found' || error.code === 'http-error') && refusals.has(error.details.status);
}

const timeoutMs = 5000;
/** Calls that are refused at the same time share one check. */
const checks = new WeakMap<Connection, Promise<boolean>>();

/** Whether the server still supports the revision in use. Where that is not certain, the connection stays. */
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
  new TenonError('connection-closed', 'The server no longer supports what it declared at discovery.', { cause });
