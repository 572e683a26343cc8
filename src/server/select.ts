/** Chooses, for one message, the revision that governs it. Pure; a refusal is a value. */

import type { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, newestExchange, newestSession, revisionIds } from '../protocol/revisions/revisions.ts';

export type Selection =
  | { readonly kind: 'exchange'; readonly revision: Revision }
  | { readonly kind: 'session'; readonly revision: Revision }
  /** The message opens a session; its revision is settled by the handshake. */
  | { readonly kind: 'handshake' }
  /** `revision` is the one in whose words the refusal is written. */
  | { readonly kind: 'refused'; readonly revision: Revision; readonly error: RpcError };

/**
 * `claim` is what the message's envelope says of itself, `session` the revision of the session it travels in. An
 * envelope always wins, even on `initialize`: a claim that makes no sense is an error, never a reason to look further.
 */
export function select(claim: unknown, method: string, session: Revision | undefined): Selection {
  if (claim !== undefined) return selectClaimed(claim);
  if (method === 'initialize') return { kind: 'handshake' };
  if (session !== undefined) return { kind: 'session', revision: session };
  // A ping is no part of the handshake: it may come before.
  if (method === 'ping') return { kind: 'session', revision: newestSession };
  return {
    kind: 'refused',
    revision: newestSession,
    error: rpcError('invalid-params', 'Send initialize first, or name the revision in params._meta of every request'),
  };
}

function selectClaimed(claim: unknown): Selection {
  const refused = (error: RpcError): Selection => ({ kind: 'refused', revision: newestExchange, error });
  if (typeof claim !== 'string') {
    return refused(rpcError('invalid-params', 'The revision in params._meta has to be a string'));
  }
  const revision = findRevision(claim);
  if (revision?.lifecycle === 'exchange') return { kind: 'exchange', revision };
  const data = { supported: revisionIds.filter((id) => findRevision(id)?.lifecycle === 'exchange'), requested: claim };
  return refused(rpcError('unsupported-revision', `Unsupported protocol version: ${claim}`, data));
}

/** The revision a handshake settles on: the one asked for if it has sessions, else the newest that has. */
export function agreedRevision(requested: unknown): Revision {
  const found = findRevision(requested);
  return found?.lifecycle === 'session' ? found : newestSession;
}
