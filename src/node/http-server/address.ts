/** The address that a server listens at, as requests name it. */
import { isUrl } from '../../protocol/addresses.ts';
import { type GuardOptions, loopback } from '../../server/http/admission/host-and-origin.ts';

/** Where a server listens that listens everywhere, and where this machine reaches it. */
const everywhere: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/** A host as an address has it. */
function written(host: string): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return isUrl(`http://${shown}`) ? new URL(`http://${shown}`).hostname : shown;
}

/** A host by which this machine can reach what listens there. */
export function reachable(host: string): string {
  const shown = written(host);
  return everywhere.get(shown) ?? shown;
}

/**
 * Has requests admitted that are sent to the very address, unless the author has said which are. Only a number: a name
 * can be made to point here by whoever owns it.
 */
export function admittingOwn<T extends GuardOptions>(host: string, options: T): T {
  const shown = written(host);
  if (options.hosts !== undefined || !isNumber(shown) || everywhere.has(shown)) return options;
  return { ...options, hosts: [...loopback, shown] };
}

const isNumber = (shown: string): boolean => shown.startsWith('[') || /^\d+(\.\d+){3}$/.test(shown);
