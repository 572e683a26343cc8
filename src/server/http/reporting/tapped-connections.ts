/** Which connection of a tap an HTTP request belongs to: a session is one, and so are all requests that stand alone. */
import { type ReportTap, type Tap, type TapOccurrence, tapConnection } from '../../../transport/tap.ts';

/** Sessions whose numbers are remembered; beyond it, the oldest get new ones. */
const maxSessions = 10_000;

/** A client may send any text as the ID of a session; a longer one is no session. */
const maxIdChars = 1000;

export interface TappedConnection {
  readonly report: ReportTap;
  requests: number;
}

export class TappedConnections {
  readonly #tap: Tap;
  readonly #opened: TapOccurrence;
  readonly #sessions = new Map<string, TappedConnection>();
  #standAlone: TappedConnection | undefined;

  /** `opened` is the first event of each. */
  constructor(tap: Tap, opened: TapOccurrence) {
    this.#tap = tap;
    this.#opened = opened;
  }

  /** Before a session has an id, its first request is a connection of its own. */
  of(session: string | undefined, body: string): TappedConnection {
    if (session !== undefined && session.length <= maxIdChars)
      return this.#sessions.get(session) ?? this.remember(session, this.open());
    if (/"method"\s*:\s*"initialize"/.test(body.slice(0, 1000))) return this.open();
    this.#standAlone ??= this.open();
    return this.#standAlone;
  }

  remember(session: string, connection: TappedConnection): TappedConnection {
    this.#sessions.set(session, connection);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return connection;
  }

  /** A connection of its own. */
  open(): TappedConnection {
    const report = tapConnection(this.#tap);
    report(this.#opened);
    return { report, requests: 0 };
  }
}
