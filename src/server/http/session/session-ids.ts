/** Session ids: sealed, so that a forged, foreign or expired one is refused without reading a record. */
import { fromBase64Url, fromExactBase64Url, toBase64Url } from '../../../lib/text/base64.ts';
import { createKeyRing, type SealingKey } from '../../server-requests/key-ring.ts';

/** What an id is bound to: it is not valid for another server, principal or store. */
export interface SessionScope {
  readonly server: string;
  readonly principal: string | undefined;
  /** The epoch of the store that has the record. */
  readonly epoch: string;
}

export interface OpenedId {
  /** The key of the session in the store. */
  readonly key: string;
  readonly expires: number;
  readonly revision: string;
}

export interface SessionIds {
  seal(opened: OpenedId, scope: SessionScope): Promise<string>;
  /** The contents of an id; `undefined` if it is not valid, for whatever reason. */
  open(id: string, scope: SessionScope): Promise<OpenedId | undefined>;
}

/** A key is also the nonce of its seal: each is sealed once. Twelve bytes are sixteen characters, so the id can be split there. */
const keyBytes = 12;
const keyLength = 16;
const nameBytes = 3;
const expiryBytes = 6;
const headBytes = keyBytes + nameBytes;
/** The latest expiry that fits an id, thousands of years ahead. */
const latestExpiry = 256 ** expiryBytes - 1;

/** An id begins with the key of its session, unencrypted. */
export const keyOf = (id: string): string => id.slice(0, keyLength);

export const newSessionKey = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(keyBytes)));

export function createSessionIds(secrets: readonly string[] | undefined, now: () => number): SessionIds {
  const keys = createKeyRing('tenon session', secrets);
  return {
    async seal(opened, scope) {
      const [sealing] = await keys();
      if (sealing === undefined) throw new RangeError('There is no secret to seal with.');
      const nonce = fromBase64Url(opened.key);
      const sealed = await crypto.subtle.encrypt(parameters(nonce, scope), sealing.key, written(opened));
      const name = sealing.id.subarray(0, nameBytes);
      return toBase64Url(new Uint8Array([...nonce, ...name, ...new Uint8Array(sealed)]));
    },
    async open(id, scope) {
      const bytes = /^[\w-]{50,100}$/.test(id) ? fromExactBase64Url(id) : undefined;
      const sealing = bytes && (await keys()).find((known) => names(known, bytes));
      if (bytes === undefined || sealing === undefined) return undefined;
      const how = parameters(bytes.slice(0, keyBytes), scope);
      const opened = await decrypted(sealing, how, bytes.slice(headBytes));
      return opened !== undefined && opened.expires > now() ? { key: keyOf(id), ...opened } : undefined;
    },
  };
}

const parameters = (nonce: Uint8Array<ArrayBuffer>, { server, epoch, principal }: SessionScope): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: new TextEncoder().encode(JSON.stringify([server, epoch, principal ?? null])),
});

async function decrypted(
  { key }: SealingKey,
  how: AesGcmParams,
  sealed: Uint8Array<ArrayBuffer>,
): Promise<Omit<OpenedId, 'key'> | undefined> {
  try {
    return read(new Uint8Array(await crypto.subtle.decrypt(how, key, sealed)));
  } catch {
    return undefined;
  }
}

/** The expiry, then the revision. */
function written({ expires, revision }: OpenedId): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(revision);
  const bytes = new Uint8Array(expiryBytes + text.length);
  let rest = Math.min(expires, latestExpiry);
  for (let at = expiryBytes - 1; at >= 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  bytes.set(text, expiryBytes);
  return bytes;
}

function read(bytes: Uint8Array): Omit<OpenedId, 'key'> {
  const expires = bytes.subarray(0, expiryBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return { expires, revision: new TextDecoder().decode(bytes.subarray(expiryBytes)) };
}

const names = ({ id }: SealingKey, bytes: Uint8Array): boolean =>
  id.subarray(0, nameBytes).every((byte, at) => bytes[keyBytes + at] === byte);
