/** Undici's dispatchers, one for all clients of a process that connect alike: each would weigh more than the rest of a client. */
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { trustedAuthorities } from './trusted-authorities.ts';

export interface Way {
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca: string | readonly string[] | undefined;
  readonly connectTimeoutMs: number;
  /** The proxies of the environment. */
  readonly proxies: readonly URL[];
}

/** A dispatcher that is used until it is given back. */
export interface Lease {
  readonly dispatcher: Dispatcher;
  /** Gives it back, once; the last to do so has its connections closed. */
  release(): Promise<void>;
}

interface Leased {
  readonly dispatcher: Dispatcher;
  users: number;
}

const leased = new Map<string, Leased>();

export function leaseDispatcher(way: Way): Lease {
  const key = JSON.stringify([
    way.ca ?? null,
    way.connectTimeoutMs,
    way.proxies,
    process.env.no_proxy,
    process.env.NO_PROXY,
  ]);
  const entry = leased.get(key) ?? { dispatcher: createDispatcher(way), users: 0 };
  leased.set(key, entry);
  entry.users++;
  let isHeld = true;
  return {
    dispatcher: entry.dispatcher,
    async release() {
      if (!isHeld) return;
      isHeld = false;
      if (--entry.users > 0) return;
      leased.delete(key);
      await entry.dispatcher.destroy();
    },
  };
}

/** What is waited for has a time of its own, and a stream may be quiet for as long as it likes. */
const patience = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;

function createDispatcher({ ca, connectTimeoutMs, proxies }: Way): Dispatcher {
  const connect = { timeout: connectTimeoutMs, ...(ca !== undefined && { ca: trustedAuthorities(ca) }) };
  if (proxies.length === 0) return new Agent({ ...patience, connect });
  return new EnvHttpProxyAgent({
    ...patience,
    connect,
    // Many proxies open tunnels to port 443 alone: what is not encrypted is asked of them by its whole address.
    proxyTunnel: false,
    proxyTls: { timeout: connectTimeoutMs },
    requestTls: connect,
    // What goes to a proxy without a tunnel is given no other settings than these.
    factory: (origin, settings) => new Pool(origin, { ...settings, ...patience }),
  });
}
