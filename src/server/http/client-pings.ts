/** Pings the clients of an endpoint, by hand or at an interval: the session of a client that does not answer ends. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';

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

/** A client that listens here for messages of the server: only such a client can receive a ping. */
export interface PingedClient {
  /** Whether the client answers in time; `undefined` if it has no session yet, and got no ping. */
  answers(timeoutMs: number): Promise<boolean | undefined>;
  /** Ends its session, if it has not ended meanwhile. */
  end(reason: string): void | Promise<void>;
}

const defaultPingMs = 5000;

export class ClientPings {
  readonly #clients: () => readonly PingedClient[];
  readonly #deadlines: Deadlines;
  #next: Deadline | undefined;

  constructor(clients: () => readonly PingedClient[], deadlines: Deadlines, everyMs: number | undefined) {
    this.#clients = clients;
    this.#deadlines = deadlines;
    if (everyMs !== undefined) this.#schedule(everyMs);
  }

  readonly ping = async ({ timeoutMs = defaultPingMs }: PingOptions = {}): Promise<PingedSessions> => {
    const results = await Promise.all(this.#clients().map((client) => client.answers(timeoutMs)));
    const count = (result: boolean): number => results.filter((one) => one === result).length;
    return { answered: count(true), unanswered: count(false) };
  };

  stop(): void {
    if (this.#next !== undefined) this.#deadlines.cancel(this.#next);
    this.#next = undefined;
  }

  #schedule(everyMs: number): void {
    this.#next = this.#deadlines.add(everyMs, () => {
      this.#schedule(everyMs);
      for (const client of this.#clients()) void endIfSilent(client, everyMs);
    });
  }
}

async function endIfSilent(client: PingedClient, timeoutMs: number): Promise<void> {
  if ((await client.answers(timeoutMs)) === false) await client.end('its client did not answer a ping');
}
