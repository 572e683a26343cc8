/** Connects to a server over HTTP: one transport for each connection. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { shownTarget } from '../../lib/text/shown-address.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { ReportTap } from '../../transport/tap.ts';
import type { ConnectOptions } from '../api/options.ts';
import type { Connection } from '../connection/connection.ts';
import type { Connector, OpenConnection, PendingReason } from '../connection/connector.ts';
import type { NamedServer } from '../connection/open-failures.ts';
import { authorizedPort } from './port/authorized-port.ts';
import type { ClientAuth } from './port/client-auth.ts';
import { noResponse, noResponseHint } from './port/failures.ts';
import { addressOf, type HttpAddress, type HttpPort } from './port/port.ts';
import { tappedPort } from './port/tapped-port.ts';
import { HttpRevisionTransport } from './revision-transport.ts';
import { type HttpTarget, readHttpTarget } from './target.ts';
import type { UserHeaders } from './transport.ts';

/** Headers of the user, if any. */
const noHeaders: UserHeaders = [];

/** Called for every connection, so that each has its own port. */
type OpenPort = () => HttpPort | Promise<HttpPort>;

export const httpConnector = (
  target: string | URL | HttpTarget,
  { limits, messageAuthorization }: Pick<ConnectOptions, 'limits' | 'messageAuthorization'>,
  openPort: OpenPort,
): HttpConnector => {
  if (messageAuthorization !== undefined)
    throw wrong('connect()', 'messageAuthorization', 'be left out for a URL: pass { url, headers } or { url, auth }');
  return new HttpConnector(target, limits?.maxMessageChars, openPort);
};

export class HttpConnector implements Connector {
  /** Only the parts of the URL are stored: a URL object takes more memory than the transport. */
  readonly #address: HttpAddress;
  readonly #userHeaders: UserHeaders;
  readonly #auth: ClientAuth | undefined;
  readonly #maxMessageChars: number | undefined;
  readonly #openPort: OpenPort;

  constructor(target: string | URL | HttpTarget, maxMessageChars: number | undefined, openPort: OpenPort) {
    const { url, headers, auth } = readHttpTarget(target);
    const own = Object.entries(headers);
    this.#address = addressOf(url);
    this.#userHeaders = own.length === 0 ? noHeaders : own;
    this.#auth = auth;
    this.#maxMessageChars = maxMessageChars;
    this.#openPort = openPort;
  }

  get reconnects(): boolean {
    return true;
  }

  get address(): string {
    return this.#address.href;
  }

  pendingReason(): PendingReason {
    return { text: `${shownTarget(this.#address)} has not answered yet.`, hint: noResponseHint };
  }

  async connect(
    open: OpenConnection,
    _signal: AbortSignal,
    deadlines: Deadlines,
    report: ReportTap | undefined,
  ): Promise<Connection> {
    const address = this.#address;
    report?.({ kind: 'open', side: 'client', transport: 'http', peer: shownTarget(address) });
    const own = await this.#openPort();
    // Below the credentials: a refused token and the next attempt are requests too.
    const opened = report === undefined ? own : tappedPort(own, report);
    const auth = this.#auth?.forServer(address.href, opened.fetch);
    const port = auth === undefined ? opened : authorizedPort(opened, auth);
    const transport = new HttpRevisionTransport({
      address,
      userHeaders: this.#userHeaders,
      port,
      deadlines,
      maxMessageChars: this.#maxMessageChars,
    });
    return open(transport, { server: namedServer(address) }).catch((error) => {
      throw error instanceof TenonError && error.code === 'timeout' ? noResponse(address, error) : error;
    });
  }
}

/** Getters: only errors need the name. */
const namedServer = (address: HttpAddress): NamedServer => ({
  get name() {
    return shownTarget(address);
  },
  get details() {
    return { url: shownTarget(address) };
  },
});
