/** Reaches a server over HTTP: one channel for each connection. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import { shownTarget } from '../../protocol/shown-address.ts';
import type { ConnectOptions } from '../api/options.ts';
import type { Line, NamedServer } from '../connection/connection.ts';
import type { Awaited, OpenLine, Reach } from '../connection/connector.ts';
import { HttpChannel } from './channel.ts';
import { silence, silenceHint } from './port/failures.ts';
import { addressOf, type HttpAddress, type HttpPort } from './port/port.ts';
import { type HttpTarget, readHttpTarget } from './target.ts';
import type { OwnHeaders } from './transport.ts';

/** Most users give none. */
const noHeaders: OwnHeaders = [];

/** Asked anew for every connection, so that nothing of the last one is left in it. */
type OpenPort = () => HttpPort | Promise<HttpPort>;

export const httpReach = (
  target: string | URL | HttpTarget,
  { limits }: Pick<ConnectOptions, 'limits'>,
  openPort: OpenPort,
): HttpReach => new HttpReach(target, limits?.maxCharacters, openPort);

export class HttpReach implements Reach {
  /** What is read of the URL is kept, and not the URL, which weighs more than all of a channel. */
  readonly #address: HttpAddress;
  readonly #own: OwnHeaders;
  readonly #maxCharacters: number | undefined;
  readonly #openPort: OpenPort;

  constructor(target: string | URL | HttpTarget, maxCharacters: number | undefined, openPort: OpenPort) {
    const { url, headers } = readHttpTarget(target);
    const own = Object.entries(headers);
    this.#address = addressOf(url);
    this.#own = own.length === 0 ? noHeaders : own;
    this.#maxCharacters = maxCharacters;
    this.#openPort = openPort;
  }

  get reconnects(): boolean {
    return true;
  }

  get address(): string {
    return this.#address.href;
  }

  awaited(): Awaited {
    return { text: `${shownTarget(this.#address)} has not answered yet.`, hint: silenceHint };
  }

  async dial(open: OpenLine, _signal: AbortSignal, deadlines: Deadlines): Promise<Line> {
    const address = this.#address;
    const port = await this.#openPort();
    const channel = new HttpChannel({ address, own: this.#own, port, deadlines, maxCharacters: this.#maxCharacters });
    return open(channel, { server: namedBy(address) }).catch((error) => {
      throw error instanceof TenonError && error.code === 'timeout' ? silence(address, error) : error;
    });
  }
}

/** Asked for its name by failures only. */
const namedBy = (address: HttpAddress): NamedServer => ({
  get name() {
    return shownTarget(address);
  },
  get details() {
    return { url: shownTarget(address) };
  },
});
