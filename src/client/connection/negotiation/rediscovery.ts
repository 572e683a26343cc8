/** Discovers a server again after an error that contradicts its discovery: it may have been replaced. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Connection } from '../connection.ts';
import { lacksHandshake } from './negotiate.ts';

const refusals: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Whether an error may come from a server without exchanges, which did not start the request. */
export function needsRediscovery(error: unknown): boolean {
  if (error instanceof RpcError) return error.reason === 'unsupported-protocol-version';
  if (!(error instanceof TenonError)) return false;
  return (error.code === 'endpoint-not-found' || error.code === 'http-error') && refusals.has(error.details.status);
}

const timeoutMs = 5000;
/** Calls that fail at the same time share one check. */
const checks = new WeakMap<Connection, Promise<boolean>>();

/** Whether the server still supports the revision in use. If that is uncertain, the connection stays open. */
export function stillServes(connection: Connection): Promise<boolean> {
  const { revision } = connection.conversation;
  if (!lacksHandshake(revision.id)) return Promise.resolve(true);
  // Another call has checked it already.
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

/** The error that closes such a connection. The client may reconnect. */
export const serverReplaced = (cause: unknown): TenonError =>
  new TenonError('connection-closed', 'The server no longer supports what it declared at discovery.', { cause });
