/** Finds out, after a refusal that makes no sense, whether the server still is the one that was discovered. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { Line } from '../connection.ts';
import { lacksHandshake } from './negotiate.ts';

const refusals: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Whether a refusal may come of a server that does not know exchanges, and so has not begun what it was asked for. */
export function isDoubt(error: unknown): boolean {
  if (error instanceof RpcError) return error.reason === 'unsupported-revision';
  if (!(error instanceof TenonError)) return false;
  return (error.code === 'endpoint-missing' || error.code === 'http-refused') && refusals.has(error.details.status);
}

const patienceMs = 5000;
/** Calls that are refused at once ask once. */
const underWay = new WeakMap<Line, Promise<boolean>>();

/** Whether the server says itself that it serves what is spoken. Who is not sure of it keeps the connection. */
export function stillServes(line: Line): Promise<boolean> {
  const { revision } = line.conversation;
  if (!lacksHandshake(revision.id)) return Promise.resolve(true);
  // Another call has found out before this one.
  if (line.isOver) return Promise.resolve(false);
  const known = underWay.get(line);
  if (known !== undefined) return known;
  const asking = line.conversation
    .call('server/discover', undefined, { timeoutMs: patienceMs })
    .then(({ result }) => (result.supportedVersions as string[]).includes(revision.id))
    .catch((error) => !isDoubt(error) && !isUnknownMethod(error))
    .finally(() => underWay.delete(line));
  underWay.set(line, asking);
  return asking;
}

const isUnknownMethod = (error: unknown): boolean => error instanceof RpcError && error.reason === 'method-not-found';

/** Why such a connection ends. It is no reason not to connect anew. */
export const replaced = (cause: unknown): TenonError =>
  new TenonError('connection-closed', 'The server does not serve what it was discovered to serve any more.', { cause });
