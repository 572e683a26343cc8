/** The sessions of one endpoint: bounded in number, ended when idle, known by ids that cannot be guessed. */
import { toBase64Url } from '../../protocol/base64.ts';
import type { HttpSession } from './session.ts';

export interface SessionTable {
  /** The session of an id, if it lives and belongs to whoever asks. */
  find(id: string, principal: string | undefined): HttpSession | undefined;
  /** Makes room for a session and keeps it; `undefined` where there is none. */
  begin(make: (id: string) => HttpSession): HttpSession | undefined;
  end(session: HttpSession, reason: string): void;
  /** Ends those that nobody has used for long. */
  sweep(): void;
  endAll(reason: string): void;
  each(run: (session: HttpSession) => void): void;
  readonly size: number;
}

export function createSessionTable(maxSessions: number, idleMs: number, now: () => number): SessionTable {
  const sessions = new Map<string, HttpSession>();

  function end(session: HttpSession, reason: string): void {
    if (sessions.delete(session.id)) session.close(reason);
  }

  function sweep(): void {
    const oldest = now() - idleMs;
    for (const session of sessions.values()) {
      if (session.busy === 0 && session.lastUsed < oldest) end(session, 'nobody has used it');
    }
  }

  return {
    find(id, principal) {
      const session = sessions.get(id);
      return session?.principal === principal ? session : undefined;
    },
    begin(make) {
      if (sessions.size >= maxSessions) sweep();
      if (sessions.size >= maxSessions) return undefined;
      const session = make(toBase64Url(crypto.getRandomValues(new Uint8Array(24))));
      sessions.set(session.id, session);
      return session;
    },
    end,
    sweep,
    endAll(reason) {
      for (const session of sessions.values()) end(session, reason);
    },
    each(run) {
      for (const session of sessions.values()) run(session);
    },
    get size() {
      return sessions.size;
    },
  };
}
