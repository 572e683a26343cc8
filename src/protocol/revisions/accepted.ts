/** The revisions that the user of a server or client chose by their ids. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Revision } from '../revision.ts';
import { findRevision, protocolVersions, revisions } from './revisions.ts';

/** Newest first. Choosing none, or one that does not exist, is a mistake that shows itself before anything is sent. */
export function chosenRevisions(ids: readonly string[] = protocolVersions): Revision[] {
  const hint = `Choose from ${protocolVersions.join(', ')}.`;
  const unknown = ids.filter((id) => findRevision(id) === undefined);
  if (unknown.length > 0) {
    const named = unknown.map((id) => JSON.stringify(id)).join(', ');
    throw new TenonError('invalid-argument', `revisions: ${named} is no revision of the protocol.`, { hint });
  }
  if (ids.length === 0) throw new TenonError('invalid-argument', 'revisions: the list is empty.', { hint });
  return revisions.filter(({ id }) => ids.includes(id)).reverse();
}
