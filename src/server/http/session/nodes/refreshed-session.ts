/** Reads the record of a session again: other endpoints have updated it, or messages of theirs about it may have been lost. */
import { cancelledBy } from '../../../../protocol/cancellation.ts';
import type { RecordFields } from '../../../../store/session-store.ts';
import type { OfferedRevisions } from '../../../lifecycle/offered-revisions.ts';
import type { HttpSession } from '../session.ts';
import { serverStreamName } from '../session-notifier.ts';
import { changedSince, sessionStateOf } from '../session-record.ts';
import { cancellationsIn } from './cancellations.ts';
import { claimOf, isSameClaim } from './notifier-claim.ts';

/** `in part`: subscriptions that other endpoints have ended are not known, because some of this one are being stored. */
type Read = 'whole' | 'in part';

/** Everything that messages are about. `undefined` if the session has ended. */
export async function refreshSession(session: HttpSession, offered: OfferedRevisions): Promise<Read | undefined> {
  const { sessions } = session.host.store;
  const found = await readState(session, offered);
  if (found === undefined) return undefined;
  const { fields, read } = found;
  const claim = claimOf(fields);
  if (!isSameClaim(claim, session.notifier.claimed)) {
    session.onNodeMessage({ kind: 'resumed', stream: serverStreamName, claim });
    // Whether a client listens at the other endpoint is not known. One that listens here listens again, and is the newest.
    if (!session.notifier.isHere) session.notifier.disconnect();
  }
  const taken: Record<string, undefined> = session.requests.isWaiting ? { ...session.requests.takeFrom(fields) } : {};
  for (const [name, { id, reason }] of cancellationsIn(fields))
    if (session.cancel(id, cancelledBy('client', reason))) taken[name] = undefined;
  session.missedStreams();
  if (Object.keys(taken).length > 0) await sessions.update(session.key, taken);
  return read;
}

/** What the client of a session has set: a message about it may be older than the record. */
export const readUpdates = async (session: HttpSession, offered: OfferedRevisions): Promise<Read | undefined> =>
  (await readState(session, offered))?.read;

async function readState(
  session: HttpSession,
  offered: OfferedRevisions,
): Promise<{ readonly fields: RecordFields; readonly read: Read } | undefined> {
  const before = session.storing;
  const fields = await session.host.store.sessions.read(session.key);
  const state = fields && sessionStateOf(fields, offered);
  if (fields === undefined || state === undefined) return undefined;
  // A subscription that is being stored is not in the record yet.
  const isWhole = before.now === 0 && session.storing.begun === before.begun;
  const { last } = session.host.changes ?? {};
  // Changes that were sent before the subscription was known here did not reach the client.
  for (const uri of session.session.refresh(state, isWhole))
    if (changedSince(fields, uri, last)) session.receiveChange({ kind: 'resource', uri }, undefined);
  return { fields, read: isWhole ? 'whole' : 'in part' };
}
