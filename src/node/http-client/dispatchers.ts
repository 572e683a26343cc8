/** Undici's dispatchers, one for all clients of a process that connect alike: each would weigh more than the rest of a client. */
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { routingOf } from './proxies.ts';
import { trustedAuthorities } from './trusted-authorities.ts';

export interface Way {
  /** Where it leads. Connections that are kept go with the last client of their server. */
  readonly origin: string;
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca: string | readonly string[] | undefined;
  readonly connectTimeoutMs: number;
  /** The proxies of the environment. */
  readonly proxies: readonly URL[];
}

interface Leased {
  readonly key: string;
  readonly dispatcher: Dispatcher;
  /** Connections in the making, which a dispatcher that is destroyed leaves to their time-out. */
  readonly making: Set<Destroyable>;
  users: number;
}

interface Destroyable {
  destroy(): void;
}

const leased = new Map<string, Leased>();

/** A dispatcher that is used until it is given back. */
export class Lease {
  readonly #leased: Leased;
  #isHeld = true;

  constructor(way: Way) {
    const key = JSON.stringify([way.origin, way.ca, way.connectTimeoutMs, routingOf(process.env)]);
    this.#leased = leased.get(key) ?? createLeased(key, way);
    leased.set(key, this.#leased);
    this.#leased.users++;
  }

  get dispatcher(): Dispatcher {
    return this.#leased.dispatcher;
  }

  /** Gives it back, once; the last to do so has its connections closed. */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { key, dispatcher, making } = this.#leased;
    if (--this.#leased.users > 0) return;
    leased.delete(key);
    const destroyed = dispatcher.destroy();
    for (const socket of making) socket.destroy();
    await destroyed;
  }
}

/** What is waited for has a time of its own, and a stream may be quiet for as long as it likes. */
const patience = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;

function createLeased(key: string, { ca, connectTimeoutMs, proxies }: Way): Leased {
  const making = new Set<Destroyable>();
  const settings = { timeout: connectTimeoutMs, ...(ca !== undefined && { ca: trustedAuthorities(ca) }) };
  const connect = following(buildConnector(settings), making);
  const dispatcher =
    proxies.length === 0
      ? new Agent({ ...patience, connect })
      : new EnvHttpProxyAgent({
          ...patience,
          connect,
          // Many proxies open tunnels to port 443 alone: what is not encrypted is asked of them by its whole address.
          proxyTunnel: false,
          proxyTls: { timeout: connectTimeoutMs },
          requestTls: settings,
          // What goes to a proxy without a tunnel is given no other settings than these.
          factory: (origin, given) => new Pool(origin, { ...given, ...patience }),
        });
  return { key, dispatcher, making, users: 0 };
}

/** Keeps the sockets of a connector as long as they are not connected. */
function following(connector: buildConnector.connector, making: Set<Destroyable>): buildConnector.connector {
  return (options, callback) => {
    // It gives the socket, though its type does not say so.
    const socket = connector(options, (...made: Parameters<buildConnector.Callback>) => {
      if (socket !== undefined) making.delete(socket);
      callback(...made);
    }) as unknown as Destroyable | undefined;
    if (socket !== undefined) making.add(socket);
  };
}
