/** The revisions that the user of a server or client chose by their ids. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Revision } from '../revision.ts';
import { findRevision, protocolVersions, revisions } from './revisions.ts';

/** The function that was called with the versions, and the code of its option errors. */
type Chooser = readonly [of: string, code: 'invalid-argument' | 'invalid-definition'];

/** Newest first. An empty list, or a version that does not exist, throws before anything is sent. */
export function chosenRevisions(
  ids: readonly string[] = protocolVersions,
  [of, code]: Chooser = ['connect()', 'invalid-argument'],
): Revision[] {
  const refused = (place: string, problem: string): TenonError =>
    new TenonError(code, `${of}: ${place} ${problem}.`, {
      hint: `Choose from ${protocolVersions.join(', ')}.`,
      details: { place },
    });
  const unknown = ids.findIndex((id) => findRevision(id) === undefined);
  if (unknown !== -1)
    throw refused(
      `protocolVersions[${unknown}]`,
      `is ${JSON.stringify(ids[unknown])}, which is not a protocol version`,
    );
  if (ids.length === 0) throw refused('protocolVersions', 'is an empty list');
  return revisions.filter(({ id }) => ids.includes(id)).reverse();
}
