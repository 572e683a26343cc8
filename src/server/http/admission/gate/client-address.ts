/** The address that counts as the client's: that of its connection or, behind trusted proxies, the one that they forwarded, if they forwarded one. */
import { clientPart, type IpAddress, isInNetwork, parseIp, parseNetwork } from '../../../../lib/text/ip-address.ts';

/** Proxies by address or network; `'*'` for every sender. */
export type TrustedProxies = readonly string[] | '*';

/** What the address of a client is read from. */
export interface Addressed {
  /** The address of the connection, if the runtime knows it. */
  readonly address?: string | undefined;
  header(name: string): string | undefined;
}

/** Returns a text for each client: its IPv4 address, what `write` makes of its IPv6 address, or nothing if neither is known. */
export type ClientAddress = (request: Addressed) => string;

type Write = (address: IpAddress) => string;

/** `write` gives the first half of an IPv6 address by default. */
export function createClientAddress(trusted: TrustedProxies = [], write: Write = clientPart): ClientAddress {
  const connectionPart = createConnectionPart(write);
  if (trusted === '*') return (request) => lastForwarded(request, write);
  if (trusted.length === 0) return ({ address }) => connectionPart(address);
  const networks = trusted.flatMap((entry) => parseNetwork(entry) ?? []);
  const isTrusted = (address: IpAddress): boolean => networks.some((network) => isInNetwork(address, network));
  return (request) => forwardedBy(request, isTrusted, write) ?? connectionPart(request.address);
}

export const isNetwork = (text: unknown): boolean => typeof text === 'string' && parseNetwork(text) !== undefined;

/** IPv4 is the usual case, and needs no parsing. Others are parsed once for each series of requests from one address. */
function createConnectionPart(write: Write): (address: string | undefined) => string {
  let last = '';
  let lastPart = '';
  return (address = '') => {
    if (!address.includes(':')) return address;
    if (address === last) return lastPart;
    const ip = parseIp(address);
    last = address;
    lastPart = ip === undefined ? '' : write(ip);
    return lastPart;
  };
}

/** Every sender is trusted, and only the last one is known to be a proxy: the address that it has seen counts. */
function lastForwarded(request: Addressed, write: Write): string {
  const last = hopsOf(request).at(-1);
  return last === undefined ? '' : write(last);
}

/**
 * The last address that is not a trusted proxy: those before it are what the client says. `undefined` if the request does
 * not come from a trusted proxy. The address of a proxy never stands for its client: rules about networks would allow
 * what only the proxy's own network may do.
 */
function forwardedBy(request: Addressed, isTrusted: (address: IpAddress) => boolean, write: Write): string | undefined {
  const proxy = request.address === undefined ? undefined : parseIp(request.address);
  if (proxy === undefined || !isTrusted(proxy)) return undefined;
  let client: IpAddress | undefined;
  for (const hop of hopsOf(request).toReversed()) {
    client = hop;
    if (hop === undefined || !isTrusted(hop)) break;
  }
  return client === undefined ? '' : write(client);
}

/**
 * The addresses that the proxies have written, the client's first. A proxy that writes one of the two headers may pass on
 * the other as the client sent it: if they differ, neither is believed.
 */
function hopsOf(request: Addressed): readonly (IpAddress | undefined)[] {
  const [plain, standard] = [request.header('x-forwarded-for'), request.header('forwarded')];
  const hops = plain === undefined ? undefined : lastOf(plain).map((hop) => readHop(hop.trim()));
  const others = standard === undefined ? undefined : lastOf(standard).map(readForwarded);
  if (hops === undefined || others === undefined) return hops ?? others ?? [];
  return JSON.stringify(hops) === JSON.stringify(others) ? hops : [];
}

/** More proxies than any path has: what a client writes before them costs nothing. */
const maxHops = 32;

const lastOf = (header: string): string[] => header.split(',').slice(-maxHops);

/** `for="[2001:db8::1]:4711";proto=https`. */
function readForwarded(element: string): IpAddress | undefined {
  const [, quoted, token = ''] = /(?:^|;)\s*for=(?:"([^"]*)"|([^;\s]*))/i.exec(element.trim()) ?? [];
  return readHop(quoted ?? token);
}

/** An address, maybe in brackets and with a port. */
function readHop(hop: string): IpAddress | undefined {
  const [, bracketed, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(hop) ?? [];
  return parseIp(bracketed ?? ipv4 ?? hop);
}
