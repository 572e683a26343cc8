/** Chooses the revision of a connection from what the peer answered. Pure; a failure is a value. */
import type { Revision } from '../protocol/revision.ts';
import { findRevision, type RevisionId, revisionIds } from '../protocol/revisions/revisions.ts';

export type NextStep =
  | { readonly kind: 'exchange'; readonly revision: Revision }
  | { readonly kind: 'handshake'; readonly revision: Revision }
  | { readonly kind: 'failed'; readonly offered: readonly string[] };

/** The revisions a client is ready to speak, newest first. */
export const acceptable = (ids: readonly RevisionId[] = revisionIds): Revision[] =>
  revisionIds
    .filter((id) => ids.includes(id))
    .reverse()
    .map((id) => findRevision(id) as Revision);

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

/** What to make of the revision with which a server answered the handshake. */
export function afterHandshake(accepted: readonly Revision[], answered: string): NextStep {
  const revision = accepted.find(({ id, lifecycle }) => id === answered && lifecycle === 'session');
  return revision === undefined ? { kind: 'failed', offered: [answered] } : { kind: 'handshake', revision };
}
