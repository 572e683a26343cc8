/** Networks such as `10.0.0.0/8` and `fd00::/8`, and whether an address is in one. */

/** An IPv4 address is read as the IPv6 address it is mapped to, so that both spellings are one. */
const mapped = [0, 0, 0, 0, 0, 0xffff];

/** The eight groups of an address; `undefined` for anything else. */
export function parseAddress(text: string): readonly number[] | undefined {
  const four = parseFour(text);
  if (four !== undefined) return [...mapped, ...four];
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(text)) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map(groupsOf);
  if (before === undefined || (halves.length === 2 && after === undefined)) return undefined;
  if (halves.length === 1) return before.length === 8 ? before : undefined;
  const missing = 8 - before.length - (after?.length ?? 0);
  return missing < 1 ? undefined : [...before, ...Array.from({ length: missing }, () => 0), ...(after ?? [])];
}

function parseFour(text: string): readonly [number, number] | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  // A leading zero means octal to some programs.
  if (parts === undefined || parts.some((one) => Number(one) > 255 || /^0\d/.test(one))) return undefined;
  const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const four = parseFour(parts.at(-1) as string);
  const groups = four === undefined ? parts : parts.slice(0, -1);
  if (!groups.every((one) => /^[0-9a-fA-F]{1,4}$/.test(one))) return undefined;
  return [...groups.map((one) => Number.parseInt(one, 16)), ...(four ?? [])];
}

export type MatchAddress = (address: readonly number[]) => boolean;

/** Compiles an address or network; `undefined` where it is neither. */
export function compileNetwork(text: string): MatchAddress | undefined {
  const [, base = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const groups = parseAddress(base);
  if (groups === undefined) return undefined;
  const offset = parseFour(base) === undefined ? 0 : 96;
  const bits = length === undefined ? 128 : Number(length) + offset;
  if (bits > 128) return undefined;
  const masks = groups.map((_group, at) => maskOf(bits - at * 16));
  return (address) => masks.every((mask, at) => ((address[at] as number) & mask) === ((groups[at] as number) & mask));
}

/** The bits of a group of 16 that count. */
const maskOf = (bits: number): number => (bits <= 0 ? 0 : bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff);
