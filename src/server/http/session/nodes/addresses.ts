/** Ids and tokens that name the endpoint which waits for their answer. */

/** The name of an endpoint: short, since it is part of ids; letters and digits only, since those ids are parsed. */
export const newNodeName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join('');

export interface Address {
  /** The endpoint; absent if the text names none. */
  readonly node: string | undefined;
  /** The whole address, which `own` follows. */
  readonly address: string;
  /** The id or token as that endpoint knows it. */
  readonly own: unknown;
}

/** What an id begins with: the endpoint, and which of its sessions since it began, as a session that is resumed counts its requests from 1 again. */
export const addressOf = (node: string, serial: number): string => `${node}-${serial.toString(36)}-`;

/** What a token begins with. */
export const tokenAddressOf = (node: string): string => `${node}-`;

export function readAddress(id: unknown): Address {
  const match = typeof id === 'string' ? /^(([0-9a-z]{8})-(?:[0-9a-z]{1,10}-)?)(\d{1,15})$/.exec(id) : null;
  if (match === null) return { node: undefined, address: '', own: id };
  const [, address = '', node, own] = match;
  return { node, address, own: Number(own) };
}
