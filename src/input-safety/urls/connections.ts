/** Connections to checked addresses only: the address that was checked is the one that is connected to. */
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction, Socket } from 'node:net';
import type * as undici from 'undici';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { importUnbundled } from '../../lib/values/unbundled.ts';

/** The addresses of a host name, as texts such as `192.0.2.1` and `2001:db8::1`. */
export type LookupAddresses = (host: string) => Promise<readonly string[]>;

export interface ConnectionRules {
  /** The error for an address that is not allowed. `host` is for the message. */
  readonly refuseAddress: (host: string, address: string) => TenonError | undefined;
  readonly lookup?: LookupAddresses;
}

export interface Connections {
  readonly request: (url: URL, init: undici.RequestInit) => ReturnType<typeof undici.fetch>;
  readonly close: () => Promise<void>;
}

export function createConnections(rules: ConnectionRules): Connections {
  // Loaded with the first request: a server that only opens files starts without it.
  let agent: Promise<Opened> | undefined;
  return {
    async request(url, init) {
      agent ??= openAgent(rules);
      const { fetch, dispatcher } = await agent;
      return fetch(url, { ...init, dispatcher });
    },
    async close() {
      await (await agent)?.dispatcher.destroy();
    },
  };
}

interface Opened {
  readonly fetch: typeof undici.fetch;
  readonly dispatcher: undici.Agent;
}

async function openAgent({ refuseAddress, lookup = systemAddresses }: ConnectionRules): Promise<Opened> {
  const { Agent, buildConnector, fetch } = await importUnbundled<typeof undici>('und', 'ici').catch(
    (cause: unknown) => {
      throw new TenonError('invalid-argument', 'The URL guard needs the package undici, which is not installed.', {
        hint: 'Install undici beside the program: a bundle does not contain it.',
        cause,
      });
    },
  );
  const checkedAddresses = async (host: string): Promise<readonly string[]> => {
    const addresses = await lookup(host);
    for (const address of addresses) {
      const refused = refuseAddress(host, address);
      if (refused !== undefined) throw refused;
    }
    return addresses;
  };
  const connector = buildConnector({ lookup: lookupFunction(checkedAddresses) });
  const dispatcher = new Agent({
    pipelining: 1,
    connect: (options, callback) =>
      connector(options, (...made) => {
        const [failed, socket] = made;
        const refused = failed === null ? refusedSocket(options.hostname, socket, refuseAddress) : undefined;
        if (refused === undefined) return callback(...made);
        socket?.destroy();
        callback(refused, null);
      }),
  });
  return { fetch, dispatcher };
}

/** A literal address in a URL is connected to without a look-up, so the socket is checked as well. */
const refusedSocket = (
  host: string,
  { remoteAddress = '' }: Socket,
  refuseAddress: ConnectionRules['refuseAddress'],
): TenonError | undefined => refuseAddress(host, remoteAddress);

const systemAddresses: LookupAddresses = async (host) =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

/** A look-up as sockets call it: for all addresses, or for one. */
const lookupFunction =
  (addressesOf: LookupAddresses): LookupFunction =>
  (host, { all }, done) => {
    const found = (addresses: readonly string[]): void => {
      const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const [first] = list;
      if (first === undefined) done(notFound(host), '', 4);
      else if (all === true) done(null, list);
      else done(null, first.address, first.family);
    };
    const failed = (error: NodeJS.ErrnoException): void => done(error, '', 4);
    addressesOf(host).then(found, failed);
  };

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' });
