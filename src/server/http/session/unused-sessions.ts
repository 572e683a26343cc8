/** Which sessions are dropped: idle ones, and those not used since their handshake, which make room for others, the oldest first. */
import type { Holding } from '../../ports/fair-pool.ts';
import type { HttpSession } from './session.ts';

export const unused = 'it was not used for too long';
export const evicted = 'it made room for another before it was used';

interface IdleLimit {
  readonly idleTimeoutMs: number;
}

/** How long a session lives whose client has sent nothing since `initialize`. */
export const unusedMsOf = ({ idleTimeoutMs }: IdleLimit): number => Math.min(firstMessageMs, idleTimeoutMs);

/**
 * How long a session stays open without a message since the first.
 * @limit HTTP
 * @beyond the session closes; then 404
 */
const firstMessageMs = 60_000;

/** Whether the client has sent nothing valid since `initialize`. */
export const isFresh = ({ isUsed, session }: HttpSession): boolean => !isUsed && !session.isReady;

export function isIdle(session: HttpSession, moment: number, limits: IdleLimit): boolean {
  const idleMs = isFresh(session) ? unusedMsOf(limits) : limits.idleTimeoutMs;
  return session.busy === 0 && session.lastUsed < moment - idleMs;
}

/** A session in use does not leave at once: a call would have to look it up for that. */
export class UnusedSessions {
  readonly #sessions = new Set<HttpSession>();

  add(session: HttpSession): void {
    this.#sessions.add(session);
  }

  delete(session: HttpSession): void {
    this.#sessions.delete(session);
  }

  /** The oldest one of these callers. */
  oldestOf(callers: Holding): HttpSession | undefined {
    for (const session of this.#sessions) {
      if (session.isUsed) this.#sessions.delete(session);
      else if (session.busy === 0 && session.caller.sessions.isWithin(callers)) return session;
    }
    return undefined;
  }
}
