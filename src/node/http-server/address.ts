/** The address a server listens at, as it appears in URLs and Host headers. */
import { isUrl } from '../../lib/text/parse-url.ts';
import { type GuardOptions, loopback } from '../../server/http/admission/host-and-origin.ts';

/** Addresses that mean all interfaces, and how this machine reaches them. */
const everywhere: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/** A host as written in a URL. */
function urlHost(host: string): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return isUrl(`http://${shown}`) ? new URL(`http://${shown}`).hostname : shown;
}

/** Whether only this machine can connect to a host: `localhost`, 127.0.0.0/8 or ::1. Any other name may mean any address. */
export function isLoopback(host: string): boolean {
  const shown = urlHost(host).toLowerCase();
  return shown === 'localhost' || shown === '[::1]' || /^127(\.\d+){3}$|^\[::ffff:7f[\da-f]{2}:/.test(shown);
}

/** A host by which this machine can reach the server. */
export function reachable(host: string): string {
  const shown = urlHost(host);
  return everywhere.get(shown) ?? shown;
}

/**
 * Adds the server's own address to the allowed hosts, unless `allowedHosts` is set. Only an IP address: the owner of a name can
 * point it anywhere.
 */
export function admittingOwn<T extends GuardOptions>(host: string, options: T): T {
  const shown = urlHost(host);
  if (options.allowedHosts !== undefined || !isIpAddress(shown) || everywhere.has(shown)) return options;
  return { ...options, allowedHosts: [...loopback, shown] };
}

const isIpAddress = (shown: string): boolean => shown.startsWith('[') || /^\d+(\.\d+){3}$/.test(shown);
