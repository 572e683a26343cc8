/** Whose share of a limit something counts for: that of a principal or, without one, that of an address. */
import { clientPart, parseIp } from '../lib/text/ip-address.ts';

/** What is known of a caller. */
export interface Sharer {
  /** Absent if the caller has not signed in. */
  readonly principal?: { readonly key: string } | undefined;
  /** The IP address of the client, if it is known. */
  readonly address?: string | undefined;
}

/** No principal has the share of an address, whatever its name is. */
export const shareOf = ({ principal, address }: Sharer): string =>
  principal === undefined ? addressShare(address) : `principal ${principal.key}`;

/** A client has all addresses of its IPv6 network. Addresses that are not known are one share. */
function addressShare(address = ''): string {
  const ip = parseIp(address);
  return `address ${ip === undefined ? '' : clientPart(ip)}`;
}
