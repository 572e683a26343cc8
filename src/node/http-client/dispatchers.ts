/** Undici's dispatchers, shared by all clients of the process with the same settings: one takes more memory than the rest of a client. */
import type * as Undici from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import { routingOf } from './proxies.ts';
import { trustingContext } from './trusted-authorities.ts';

export interface DispatcherSettings {
  /** Idle connections are closed with the last client of this origin. */
  readonly origin: string;
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca: string | readonly string[] | undefined;
  readonly connectTimeoutMs: number;
  /** The proxies of the environment. */
  readonly proxies: readonly URL[];
}

interface SharedDispatcher {
  readonly key: string;
  readonly dispatcher: Dispatcher;
  /** Sockets that are still connecting, which destroying the dispatcher would leave to their timeout. */
  readonly connecting: Set<Destroyable>;
  users: number;
}

interface Destroyable {
  destroy(): void;
}

const dispatchers = new Map<string, SharedDispatcher>();

/** The use of a shared dispatcher by one client, until it is released. */
export class Lease {
  readonly #shared: SharedDispatcher;
  #isHeld = true;

  constructor(undici: typeof Undici, settings: DispatcherSettings) {
    const key = JSON.stringify([settings.origin, settings.ca, settings.connectTimeoutMs, routingOf(process.env)]);
    this.#shared = dispatchers.get(key) ?? createDispatcher(undici, key, settings);
    dispatchers.set(key, this.#shared);
    this.#shared.users++;
  }

  get dispatcher(): Dispatcher {
    return this.#shared.dispatcher;
  }

  /** Idempotent; the last user to release it closes its connections. */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { key, dispatcher, connecting } = this.#shared;
    if (--this.#shared.users > 0) return;
    dispatchers.delete(key);
    const destroyed = dispatcher.destroy();
    for (const socket of connecting) socket.destroy();
    await destroyed;
  }
}

/** Requests have their own timeouts, and a stream may be silent for any time. */
const noTimeouts = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;

function createDispatcher(
  undici: typeof Undici,
  key: string,
  { ca, connectTimeoutMs, proxies }: DispatcherSettings,
): SharedDispatcher {
  const connecting = new Set<Destroyable>();
  const settings = { timeout: connectTimeoutMs, ...(ca !== undefined && { secureContext: trustingContext(ca) }) };
  const connect = trackConnecting(undici.buildConnector(settings), connecting);
  const dispatcher =
    proxies.length === 0
      ? new undici.Agent({ ...noTimeouts, connect })
      : new undici.EnvHttpProxyAgent({
          ...noTimeouts,
          connect,
          // Many proxies open tunnels to port 443 only: plain HTTP is requested from them by its full URL.
          proxyTunnel: false,
          proxyTls: { timeout: connectTimeoutMs },
          requestTls: settings,
          // The only place to set options for requests that go to a proxy without a tunnel.
          factory: (origin, options) => new undici.Pool(origin, { ...options, ...noTimeouts }),
        });
  return { key, dispatcher, connecting, users: 0 };
}

/** Tracks the sockets of a connector until they are connected. */
function trackConnecting(connector: buildConnector.connector, connecting: Set<Destroyable>): buildConnector.connector {
  return (options, callback) => {
    // Undici returns the socket, but its type does not include it.
    const socket = connector(options, (...made: Parameters<buildConnector.Callback>) => {
      if (socket !== undefined) connecting.delete(socket);
      callback(...made);
    }) as unknown as Destroyable | undefined;
    if (socket !== undefined) connecting.add(socket);
  };
}
