/** Chooses the revision of a connection from the answers of the server. Pure; a failure is a value. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { findRevision } from '../../../protocol/revisions/revisions.ts';

export type NextStep =
  | { readonly kind: 'exchange'; readonly revision: Revision }
  | { readonly kind: 'handshake'; readonly revision: Revision }
  | { readonly kind: 'failed'; readonly offered: readonly string[] }
  /** The server supports exchanges and rejects this request for another reason: connecting fails with its error. */
  | { readonly kind: 'refused' };

/** The first step: discovery if an exchange is acceptable, else the handshake. */
export function firstStep(accepted: readonly Revision[]): NextStep {
  const [newest] = accepted;
  if (newest === undefined) return { kind: 'failed', offered: [] };
  return { kind: newest.lifecycle === 'exchange' ? 'exchange' : 'handshake', revision: newest };
}

/** The next step after a server has listed its revisions. */
export function afterDiscovery(accepted: readonly Revision[], supported: readonly string[]): NextStep {
  const common = accepted.find(({ id }) => supported.includes(id));
  if (common === undefined) return { kind: 'failed', offered: supported };
  return { kind: common.lifecycle === 'exchange' ? 'exchange' : 'handshake', revision: common };
}

/** The next step if the server does not support discovery: the handshake, if that is acceptable. */
export function afterNoDiscovery(accepted: readonly Revision[]): NextStep {
  const newest = accepted.find(({ lifecycle }) => lifecycle === 'session');
  return newest === undefined ? { kind: 'failed', offered: [] } : { kind: 'handshake', revision: newest };
}

/** The revisions that begin with a handshake. */
export const handshakeOnly = (accepted: readonly Revision[]): Revision[] =>
  accepted.filter(({ lifecycle }) => lifecycle === 'session');

/** Whether the handshake was used although discovery was to be tried first. */
export const fallsBack = ([newest]: readonly Revision[], agreed: Revision): boolean =>
  newest?.lifecycle === 'exchange' && agreed.lifecycle === 'session';

/** Whether this is a revision without a handshake, accepted or not. */
export const lacksHandshake = (id: string): boolean => findRevision(id)?.lifecycle === 'exchange';

/** Errors that only servers with exchanges send; and that of a caller who would get no other answer to the handshake. */
const exchangeErrors: ReadonlySet<string> = new Set(['header-mismatch', 'missing-client-capability', 'unauthorized']);

/** Whether a server rejects a revision that it lists as supported: then discovery is sent once more. */
export const contradictsItself = (error: unknown, tried: Revision): boolean =>
  error instanceof RpcError &&
  error.reason === 'unsupported-protocol-version' &&
  offeredIn(error.data).includes(tried.id);

/** Errors about the request itself: it would get the same answer at any other time. */
const judgements: ReadonlySet<string> = new Set([
  'method-not-found',
  'invalid-params',
  'invalid-request',
  'unsupported-protocol-version',
]);

/** Messages with which servers of sessions reject a request before the handshake, with codes of their own. */
const wantsSession = /session|initiali[sz]|protocol.version/i;

/** Whether an error shows that a server does not support discovery, and not that it failed this once. */
export const isConclusive = ({ reason, message }: RpcError): boolean =>
  judgements.has(reason) || (reason === 'unknown' && wantsSession.test(message));

/** The next step after an error of discovery. */
export function afterError(
  accepted: readonly Revision[],
  tried: Revision,
  { reason, data }: { readonly reason: string; readonly data: unknown },
): NextStep {
  if (exchangeErrors.has(reason)) return { kind: 'refused' };
  if (reason !== 'unsupported-protocol-version') return afterNoDiscovery(accepted);
  return afterDiscovery(without(accepted, tried), offeredIn(data));
}

/** The next step after an error of the handshake: try a revision that the server names, or fail with its error. */
export function afterRefusal(accepted: readonly Revision[], tried: Revision, data: unknown): NextStep {
  const offered = offeredIn(data);
  if (offered.length === 0) return { kind: 'refused' };
  return afterDiscovery(handshakeOnly(without(accepted, tried)), offered);
}

const without = (accepted: readonly Revision[], tried: Revision): Revision[] =>
  accepted.filter(({ id }) => id !== tried.id);

/** The revisions in the data of an error, as in the specification or in the founding documents. */
function offeredIn(data: unknown): string[] {
  const { supported, serverVersion } = (data ?? {}) as { supported?: unknown; serverVersion?: unknown };
  const offered: unknown[] = Array.isArray(supported) ? supported : [serverVersion];
  return offered.filter((id) => typeof id === 'string');
}

/** The next step after the revision with which a server answered the handshake. */
export function afterHandshake(accepted: readonly Revision[], answered: string): NextStep {
  const revision = accepted.find(({ id, lifecycle }) => id === answered && lifecycle === 'session');
  return revision === undefined ? { kind: 'failed', offered: [answered] } : { kind: 'handshake', revision };
}
