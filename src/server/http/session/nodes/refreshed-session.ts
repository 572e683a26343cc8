/** Reads the record of a session again, where messages of other endpoints about it may have been lost. */
import { cancelledBy } from '../../../../protocol/cancellation.ts';
import type { OfferedRevisions } from '../../../lifecycle/offered-revisions.ts';
import type { HttpSession } from '../session.ts';
import { serverStreamName } from '../session-notifier.ts';
import { sessionStateOf } from '../session-record.ts';
import { cancellationsIn } from './cancellations.ts';
import { claimOf, isSameClaim } from './notifier-claim.ts';

/** False if the session has ended. */
export async function refreshSession(session: HttpSession, offered: OfferedRevisions): Promise<boolean> {
  const { sessions } = session.host.store;
  const wasStoring = session.isStoring;
  const fields = await sessions.read(session.key);
  const state = fields && sessionStateOf(fields, offered);
  if (fields === undefined || state === undefined) return false;
  // A subscription that is being stored is not in the record yet.
  session.session.refresh(state, !wasStoring && !session.isStoring);
  const claim = claimOf(fields);
  if (!isSameClaim(claim, session.notifier.claimed))
    session.onNodeMessage({ kind: 'resumed', stream: serverStreamName, claim });
  const taken: Record<string, undefined> = session.requests.isWaiting ? { ...session.requests.takeFrom(fields) } : {};
  for (const [name, { id, reason }] of cancellationsIn(fields))
    if (session.cancel(id, cancelledBy('client', reason))) taken[name] = undefined;
  session.missedStreams();
  if (Object.keys(taken).length > 0) await sessions.update(session.key, taken);
  return true;
}
