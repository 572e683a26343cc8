/** Whose share of a limit something counts for: that of a principal or, without one, that of an address. */
import { clientPart, parseIp } from '../lib/text/ip-address.ts';

/** What is known of a caller. */
export interface Sharer {
  /** Absent if the caller has not signed in. */
  readonly principal?: { readonly key: string } | undefined;
  /** The IP address of the client; empty if it is not known, absent on a connection without addresses, such as stdio. */
  readonly address?: string | undefined;
}

/**
 * No principal has the share of an address, whatever its name is. A connection without addresses has one caller, which
 * shares with no other: `undefined`.
 */
export function shareOf({ principal, address }: Sharer): string | undefined {
  if (principal !== undefined) return `principal ${principal.key}`;
  return address === undefined ? undefined : addressShare(address);
}

/** A client has all addresses of its IPv6 network. Addresses that are not known are one share. */
function addressShare(address: string): string {
  const ip = parseIp(address);
  return `address ${ip === undefined ? '' : clientPart(ip)}`;
}
