/** Pings the clients of sessions, by hand or at an interval: a session whose client does not answer ends. */
import type { Deadline, Deadlines } from '../../../lib/time/deadlines.ts';
import type { HttpSession } from './session.ts';
import type { SessionTable } from './session-table.ts';

/** How many clients answered a ping. */
export interface PingedSessions {
  /** Clients that answered in time. */
  readonly answered: number;
  /** Clients that did not, or whose session ended meanwhile. */
  readonly unanswered: number;
}

/** The options of `ping()`. */
export interface PingOptions {
  /** How long a client has to answer; 5 seconds by default. */
  readonly timeoutMs?: number;
}

const defaultPingMs = 5000;

export class SessionPings {
  readonly #sessions: () => SessionTable;
  readonly #deadlines: Deadlines;
  #next: Deadline | undefined;

  constructor(sessions: () => SessionTable, deadlines: Deadlines, everyMs: number | undefined) {
    this.#sessions = sessions;
    this.#deadlines = deadlines;
    if (everyMs !== undefined) this.#schedule(everyMs);
  }

  /** Pings the clients that listen here for messages of the server: only they can receive a ping. */
  readonly ping = async ({ timeoutMs = defaultPingMs }: PingOptions = {}): Promise<PingedSessions> => {
    const results = await Promise.all(this.#pingable().map((session) => this.#answers(session, timeoutMs)));
    const answered = results.filter((one) => one).length;
    return { answered, unanswered: results.length - answered };
  };

  stop(): void {
    if (this.#next !== undefined) this.#deadlines.cancel(this.#next);
    this.#next = undefined;
  }

  #schedule(everyMs: number): void {
    this.#next = this.#deadlines.add(everyMs, () => {
      this.#schedule(everyMs);
      for (const session of this.#pingable()) void this.#endIfSilent(session, everyMs);
    });
  }

  async #endIfSilent(session: HttpSession, timeoutMs: number): Promise<void> {
    if (await this.#answers(session, timeoutMs)) return;
    if (this.#sessions().has(session)) await this.#sessions().end(session, 'its client did not answer a ping');
  }

  #pingable(): HttpSession[] {
    const found: HttpSession[] = [];
    this.#sessions().each((session) => {
      if (session.canBePinged) found.push(session);
    });
    return found;
  }

  async #answers(session: HttpSession, timeoutMs: number): Promise<boolean> {
    const revision = session.session.revision();
    if (revision === undefined) return false;
    const waiting = new AbortController();
    const deadline = this.#deadlines.add(timeoutMs, () => waiting.abort('no answer in time'));
    try {
      await session.sendRequest(revision, { method: 'ping' }, waiting.signal);
      return true;
    } catch {
      return false;
    } finally {
      this.#deadlines.cancel(deadline);
    }
  }
}
