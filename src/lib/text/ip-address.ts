/** IP addresses and networks as numbers, without the help of a runtime. */

/** Eight groups of 16 bits. An IPv4 address is one of IPv6 that begins with `::ffff:`. */
export type IpAddress = readonly number[];

const mapped: IpAddress = [0, 0, 0, 0, 0, 0xffff];

/** `undefined` for a text that is no IP address. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  // `fe80::1%eth0` names an interface of this machine, which is no part of the address.
  const [plain = ''] = text.split('%', 1);
  const [, start = plain, ipv4] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain) ?? [];
  const tail = ipv4 === undefined ? [] : parseIpv4(ipv4)?.slice(6);
  if (tail === undefined) return undefined;
  const front = ipv4 === undefined || start.endsWith('::') ? start : start.slice(0, -1);
  return joined(front, tail);
}

function parseIpv4(text: string): IpAddress | undefined {
  const bytes = text.split('.').map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined;
  return [...mapped, a * 256 + b, c * 256 + d];
}

/** The groups of a text, then those of its IPv4 part; `::` stands for as many zeros as are missing. */
function joined(text: string, tail: readonly number[]): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [front = [], back] = halves.map(groupsOf);
  const end = [...(back ?? []), ...tail];
  const missing = 8 - front.length - end.length;
  const fits = back === undefined ? missing === 0 : missing > 0;
  const groups = fits ? [...front, ...Array.from({ length: missing }, () => 0), ...end] : [];
  return groups.length === 8 && groups.every((group) => group >= 0) ? groups : undefined;
}

/** -1 for a group that is none. */
const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => (/^[\da-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : -1));

const isIpv4 = (address: IpAddress): boolean => mapped.every((group, at) => address[at] === group);

/** The part of an address that stands for one client: of IPv6 the first 64 bits, since a client has all the others. */
export const clientPart = (address: IpAddress): string =>
  isIpv4(address) ? ipv4Text(address) : `${groupsText(address.slice(0, 4))}::/64`;

/** The whole address. */
export const addressText = (address: IpAddress): string => (isIpv4(address) ? ipv4Text(address) : groupsText(address));

const groupsText = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

function ipv4Text(address: IpAddress): string {
  const [high = 0, low = 0] = address.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export interface IpNetwork {
  readonly address: IpAddress;
  /** How many bits of an address name the network. */
  readonly bits: number;
}

/** `10.0.0.0/8`; an address alone is a network of one. `undefined` for another text. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [ip = '', length, ...rest] = text.split('/');
  const address = parseIp(ip);
  if (address === undefined || rest.length > 0) return undefined;
  const [most, before] = ip.includes(':') ? [128, 0] : [32, 96];
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= most ? { address, bits: before + bits } : undefined;
}

export function isInNetwork(address: IpAddress, { address: base, bits }: IpNetwork): boolean {
  return base.every((group, at) => {
    const unused = Math.min(16, Math.max(0, 16 * (at + 1) - bits));
    return group >> unused === (address[at] ?? -1) >> unused;
  });
}
