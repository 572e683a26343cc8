/** Origins that an app declares in the network of the user: this machine, and addresses that are not public. */
import { isIP } from 'node:net';
import { specialNetworkOf } from '../../input-safety/urls/public-addresses.ts';
import type { AppPolicy } from '../api/apps.ts';

/** Names that only a private network has: without a dot, or below a name that is reserved for it. */
const privateName = /^[^.]+$|(?:^|\.)(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa)$/i;

/** The parser writes every spelling of an IPv4 address as the usual one. */
function isPrivate(origin: string): boolean {
  const { hostname } = new URL(origin.replace('//*.', '//').replace(/^ws/i, 'http'));
  const host = hostname.replace(/\.$/, '');
  return isIP(host) === 0 ? privateName.test(host) : specialNetworkOf(host) !== undefined;
}

/** What is in force, without private origins that the user has not allowed; and those. */
export function withoutPrivate(
  declared: AppPolicy,
  allowed: readonly string[],
): { readonly csp: AppPolicy; readonly refused: readonly string[] } {
  const refused = new Set<string>();
  const entries = Object.entries(declared as Readonly<Record<string, readonly string[]>>).map(([kind, origins]) => {
    const left = origins.filter((origin) => allowed.includes(origin) || !isPrivate(origin) || !refused.add(origin));
    return [kind, left] as const;
  });
  return { csp: Object.fromEntries(entries.filter(([, origins]) => origins.length > 0)), refused: [...refused] };
}
