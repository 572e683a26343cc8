/** Tickets: they name to the connect page which client of which user wants to use an account. They open nothing alone. */
import type { Secrets } from '../../auth-server/secrets.ts';
import { isRecord } from '../../lib/values/is.ts';

/** What a caller needs. */
export interface ConnectRequest {
  readonly upstream: string;
  /** The user, as the issuer names them. */
  readonly subject: string;
  /** The ID of the client; empty if its tokens name none. */
  readonly client: string;
}

/**
 * How long the link in the error of a call is valid.
 * @limit gateway
 * @beyond the page says so; the next call gets another one
 */
const ticketMs = 60 * 60_000;

/**
 * Characters of such a link, which a cookie has while the user signs in.
 * @limit gateway
 * @beyond the page refuses it
 */
const maxTicketChars = 2048;

const purpose = 'connect-ticket';

export class ConnectTickets {
  readonly #secrets: Secrets;
  readonly #now: () => number;

  constructor(secrets: Secrets, now: () => number = Date.now) {
    this.#secrets = secrets;
    this.#now = now;
  }

  create({ upstream, subject, client }: ConnectRequest): string {
    const until = this.#now() + ticketMs;
    return this.#secrets.seal(purpose, JSON.stringify({ upstream, subject, client, until }));
  }

  /** Nothing for a ticket that was not made here, or is too old. */
  read(ticket: string): ConnectRequest | undefined {
    const text = ticket.length > maxTicketChars ? undefined : this.#secrets.open(purpose, ticket);
    const found: unknown = text === undefined ? undefined : JSON.parse(text);
    return isRecord(found) && Number(found.until) > this.#now() ? (found as unknown as ConnectRequest) : undefined;
  }
}
