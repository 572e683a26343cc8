/** Chooses the revision of a connection from what the peer answered. Pure; a failure is a value. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { findRevision } from '../../../protocol/revisions/revisions.ts';

export type NextStep =
  | { readonly kind: 'exchange'; readonly revision: Revision }
  | { readonly kind: 'handshake'; readonly revision: Revision }
  | { readonly kind: 'failed'; readonly offered: readonly string[] }
  /** The server knows exchanges and refuses this one for another reason: its error stands. */
  | { readonly kind: 'refused' };

/** What to do first: discover where an exchange is acceptable, else shake hands. */
export function firstStep(accepted: readonly Revision[]): NextStep {
  const [newest] = accepted;
  if (newest === undefined) return { kind: 'failed', offered: [] };
  return { kind: newest.lifecycle === 'exchange' ? 'exchange' : 'handshake', revision: newest };
}

/** What to do once a server has told which revisions it speaks. */
export function afterDiscovery(accepted: readonly Revision[], supported: readonly string[]): NextStep {
  const common = accepted.find(({ id }) => supported.includes(id));
  if (common === undefined) return { kind: 'failed', offered: supported };
  return { kind: common.lifecycle === 'exchange' ? 'exchange' : 'handshake', revision: common };
}

/** What to do when the server does not know how to be discovered: it is older, so shake hands if that is acceptable. */
export function afterNoDiscovery(accepted: readonly Revision[]): NextStep {
  const newest = accepted.find(({ lifecycle }) => lifecycle === 'session');
  return newest === undefined ? { kind: 'failed', offered: [] } : { kind: 'handshake', revision: newest };
}

/** Those of the revisions that begin with a handshake. */
export const handshakeOnly = (accepted: readonly Revision[]): Revision[] =>
  accepted.filter(({ lifecycle }) => lifecycle === 'session');

/** Whether hands were shaken with a server that was to be discovered first. */
export const fallsBack = ([newest]: readonly Revision[], agreed: Revision): boolean =>
  newest?.lifecycle === 'exchange' && agreed.lifecycle === 'session';

/** Whether this is a revision, accepted or not, that has no handshake. */
export const lacksHandshake = (id: string): boolean => findRevision(id)?.lifecycle === 'exchange';

/** Errors that only a server sends which knows exchanges. */
const exchangeErrors: ReadonlySet<string> = new Set(['header-mismatch', 'missing-client-capability']);

/** Whether a server refuses a revision and names it as one that it serves: then it is asked once more. */
export const contradictsItself = (error: unknown, tried: Revision): boolean =>
  error instanceof RpcError &&
  error.reason === 'unsupported-protocol-version' &&
  offeredIn(error.data).includes(tried.id);

/** Errors that judge the request itself: it would be answered by the same at any other time. */
const judgements: ReadonlySet<string> = new Set([
  'method-not-found',
  'invalid-params',
  'invalid-request',
  'unsupported-protocol-version',
]);

/** What servers of sessions say, by numbers of their own, to a request that comes before the handshake. */
const wantsSession = /session|initiali[sz]|protocol.version/i;

/** Whether an error shows that a server does not know discovery, and not only that it failed this once. */
export const isConclusive = ({ reason, message }: RpcError): boolean =>
  judgements.has(reason) || (reason === 'unknown' && wantsSession.test(message));

/** What to do when the server answered an attempt to discover it by an error. */
export function afterError(
  accepted: readonly Revision[],
  tried: Revision,
  { reason, data }: { readonly reason: string; readonly data: unknown },
): NextStep {
  if (exchangeErrors.has(reason)) return { kind: 'refused' };
  if (reason !== 'unsupported-protocol-version') return afterNoDiscovery(accepted);
  return afterDiscovery(without(accepted, tried), offeredIn(data));
}

/** What to do when the server refused the handshake: try what it says it has, or let its error stand. */
export function afterRefusal(accepted: readonly Revision[], tried: Revision, data: unknown): NextStep {
  const offered = offeredIn(data);
  if (offered.length === 0) return { kind: 'refused' };
  return afterDiscovery(handshakeOnly(without(accepted, tried)), offered);
}

const without = (accepted: readonly Revision[], tried: Revision): Revision[] =>
  accepted.filter(({ id }) => id !== tried.id);

/** The revisions that the data of an error names, in the official way or in that of the founding documents. */
function offeredIn(data: unknown): string[] {
  const { supported, serverVersion } = (data ?? {}) as { supported?: unknown; serverVersion?: unknown };
  const offered: unknown[] = Array.isArray(supported) ? supported : [serverVersion];
  return offered.filter((id) => typeof id === 'string');
}

/** What to make of the revision with which a server answered the handshake. */
export function afterHandshake(accepted: readonly Revision[], answered: string): NextStep {
  const revision = accepted.find(({ id, lifecycle }) => id === answered && lifecycle === 'session');
  return revision === undefined ? { kind: 'failed', offered: [answered] } : { kind: 'handshake', revision };
}
