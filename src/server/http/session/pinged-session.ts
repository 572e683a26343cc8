/** The client of a session over Streamable HTTP, as it is pinged. */
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import type { PingedClient } from '../client-pings.ts';
import type { HttpSession } from './session.ts';
import type { SessionTable } from './session-table.ts';

/** The clients of the sessions that can receive a ping here. */
export function pingedSessions(sessions: SessionTable, deadlines: Deadlines): PingedClient[] {
  const found: PingedClient[] = [];
  sessions.each((session) => {
    if (!session.canBePinged) return;
    found.push({
      answers: (timeoutMs) => answers(session, timeoutMs, deadlines),
      end: (reason) => (sessions.has(session) ? sessions.end(session, reason) : undefined),
    });
  });
  return found;
}

async function answers(session: HttpSession, timeoutMs: number, deadlines: Deadlines): Promise<boolean> {
  const revision = session.session.revision();
  if (revision === undefined) return false;
  const waiting = new AbortController();
  const deadline = deadlines.add(timeoutMs, () => waiting.abort('no answer in time'));
  try {
    await session.sendRequest(revision, { method: 'ping' }, waiting.signal);
    return true;
  } catch {
    return false;
  } finally {
    deadlines.cancel(deadline);
  }
}
