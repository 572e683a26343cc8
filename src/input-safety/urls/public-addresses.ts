/** Which IP addresses are on the public internet: all others are of a private network, of this machine, or special. */
import { BlockList, isIP } from 'node:net';
import { wrong } from '../../lib/options/option-rules.ts';

/** From the IANA special-purpose registries, and addresses at which clouds serve credentials. */
const special: readonly (readonly [network: string, what: string])[] = [
  ['0.0.0.0/8', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a provider’s shared network'],
  ['127.0.0.0/8', 'this machine'],
  ['168.63.129.16/32', 'a cloud’s metadata service'],
  ['169.254.0.0/16', 'the link-local network'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'a special purpose'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'benchmarks'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'a special purpose'],
  ['2001::/23', 'a special purpose'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
];

/** All of IPv6 that is assigned to the public internet: loopback, mapped, translated, local and multicast addresses lie outside. */
const publicIpv6 = '2000::/3';

/** Reads networks such as `10.1.0.0/16`; an address alone is a network of one. Throws `invalid-argument`. */
export function networkList(networks: readonly string[], place: string): BlockList {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network, place);
  return list;
}

function addNetwork(list: BlockList, network: string, place: string): void {
  const [address = '', bits, ...rest] = String(network).split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  const isValid = family !== 0 && rest.length === 0 && bits !== '' && Number.isInteger(prefix) && prefix >= 0;
  if (!isValid || prefix > most)
    throw wrong('createUrlGuard()', place, 'list networks such as "10.1.0.0/16" or addresses');
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}

const specialLists = special.map(([network, what]) => ({ list: networkList([network], 'networks'), what }));
const publicIpv6List = networkList([publicIpv6], 'networks');

/** The network of an address that is not on the public internet. A text that is no IP address counts as not public. */
export function specialNetworkOf(address: string): string | undefined {
  const plain = withoutZone(address);
  const family = isIP(plain);
  if (family === 0) return 'no IP network';
  if (family === 6 && !publicIpv6List.check(plain, 'ipv6')) return 'a network that is not public';
  return specialLists.find(({ list }) => list.check(plain, family === 4 ? 'ipv4' : 'ipv6'))?.what;
}

export function isInNetworks(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** `fe80::1%eth0` without its interface. */
const withoutZone = (address: string): string => address.replace(/%.*$/s, '');
