/** Names that are unique in a host, use the characters that model APIs allow, and can be parsed. */

/** Where an item comes from: its server, and its name on that server. */
export interface Origin {
  /** The name of its server in the configuration. */
  readonly server: string;
  /** Its name on that server. */
  readonly originalName: string;
}

/**
 * Characters of the name of a tool or prompt. Model APIs take `^[a-zA-Z0-9_-]{1,64}$`.
 * @limit host
 * @beyond the name is cut and gets a digest
 */
const longest = 64;
const between = '__';
/** No two underscores in a row and none at an end, so that the first two in a name separate its parts. */
const plainServer = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const plainOwn = /^[A-Za-z0-9_-]+$/;
/** The end of a name with a digest. A plain name with such an end gets a digest as well. */
const withDigest = /_x[a-z2-7]{16}$/;
const digestRoom = 18;
const serverRoom = 18;

/**
 * The name in the host: `server__own` if that can be parsed, else the allowed characters of both and a digest. The name
 * depends on the origin alone.
 */
export async function nameOf({ server, originalName: own }: Origin): Promise<string> {
  const plain = `${server}${between}${own}`;
  if (plainServer.test(server) && plainOwn.test(own) && plain.length <= longest && !withDigest.test(plain))
    return plain;
  const front = readable(server).slice(0, serverRoom) + between;
  const back = readable(own).slice(0, longest - digestRoom - front.length);
  return `${front}${back}_x${await digest(JSON.stringify([server, own]))}`;
}

/** The origin of a name. `undefined` for a name with a digest, which only a list resolves, and for other names. */
export function originOf(name: string): Origin | undefined {
  const at = name.indexOf(between);
  if (at <= 0 || withDigest.test(name)) return undefined;
  return { server: name.slice(0, at), originalName: name.slice(at + between.length) };
}

export const hasDigest = (name: string): boolean => withDigest.test(name);

const readable = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '_');

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** 80 bits of SHA-256 in 16 letters. */
async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  let bits = new Uint8Array(hash).subarray(0, 10).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let written = '';
  for (let n = 0; n < 16; n++, bits >>= 5n) written = letters[Number(bits & 31n)] + written;
  return written;
}

/** The host URI of a resource: servers can have equal URIs. */
export const addressOf = ({ server, originalName: own }: Origin): string => `${encodeURIComponent(server)}/${own}`;

/** The origin of a host URI. */
export function addressedBy(address: string): Origin | undefined {
  const at = address.indexOf('/');
  if (at <= 0) return undefined;
  try {
    return { server: decodeURIComponent(address.slice(0, at)), originalName: address.slice(at + 1) };
  } catch {
    return undefined;
  }
}
