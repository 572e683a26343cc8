/** Chooses, for one message, the revision that governs it. Pure; a refusal is a value. */

import type { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, revisionIds } from '../protocol/revisions/revisions.ts';

export type Selection =
  | { readonly kind: 'exchange'; readonly revision: Revision }
  | { readonly kind: 'session'; readonly revision: Revision }
  /** The message opens a session; its revision is settled by the handshake. */
  | { readonly kind: 'handshake' }
  | { readonly kind: 'refused'; readonly error: RpcError };

/**
 * `claim` is what the message's envelope says of itself, `session` the revision of the session it travels in. An
 * envelope always wins, even on `initialize`: a claim that makes no sense is an error, never a reason to look further.
 */
export function select(claim: unknown, method: string, session: Revision | undefined): Selection {
  if (claim !== undefined) return selectClaimed(claim);
  if (method === 'initialize') return { kind: 'handshake' };
  if (session !== undefined) return { kind: 'session', revision: session };
  return {
    kind: 'refused',
    error: rpcError('invalid-params', 'Send initialize first, or name the revision in params._meta of every request'),
  };
}

function selectClaimed(claim: unknown): Selection {
  if (typeof claim !== 'string') {
    return { kind: 'refused', error: rpcError('invalid-params', 'The revision in params._meta has to be a string') };
  }
  const revision = findRevision(claim);
  if (revision?.lifecycle === 'exchange') return { kind: 'exchange', revision };
  const data = { supported: revisionIds.filter((id) => findRevision(id)?.lifecycle === 'exchange'), requested: claim };
  return { kind: 'refused', error: rpcError('unsupported-revision', `Unsupported protocol version: ${claim}`, data) };
}
