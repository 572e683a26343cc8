/** The principals whose clients listen without a handshake, each with the session of the last such client. */
import type { HttpSession } from './session.ts';

export class ListeningPrincipals {
  /** By the key of the principal. */
  readonly #sessions = new Map<string, HttpSession>();

  /** A session without a principal is not added: its calls could be those of any client. One that holds state stays. */
  add(session: HttpSession): void {
    const { owner } = session;
    if (owner !== undefined && this.#sessions.get(owner)?.holdsState !== true) this.#sessions.set(owner, session);
  }

  get(owner: string): HttpSession | undefined {
    return this.#sessions.get(owner);
  }

  /** The session of a later client of the same principal stays. */
  delete(session: HttpSession): void {
    const { owner } = session;
    if (owner !== undefined && this.#sessions.get(owner) === session) this.#sessions.delete(owner);
  }
}
