/** Ids of sessions: sealed, so that a forged, foreign or expired one is refused without a look at any record. */
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts';
import { createKeyRing, type SealingKey } from '../key-ring.ts';

/** What an id is good for besides its own key: another server, principal or store cannot open it. */
export interface SessionScope {
  readonly server: string;
  readonly principal: string | undefined;
  /** The epoch of the store that has the record. */
  readonly epoch: string;
}

export interface OpenedId {
  /** What the record of the session is kept under. */
  readonly key: string;
  readonly expires: number;
  readonly revision: string;
}

export interface SessionIds {
  seal(opened: OpenedId, scope: SessionScope): Promise<string>;
  /** What an id says, or `undefined` for every reason alike. */
  open(id: string, scope: SessionScope): Promise<OpenedId | undefined>;
}

const keyBytes = 16;
const keyLength = 22;
const nameBytes = 6;
const ivBytes = 12;
const expiryBytes = 6;

/** An id begins with the key of its session, in the clear. */
export const keyOf = (id: string): string => id.slice(0, keyLength);

export const newSessionKey = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(keyBytes)));

export function createSessionIds(secrets: readonly string[] | undefined, now: () => number): SessionIds {
  const keys = createKeyRing('tenon session', secrets);
  return {
    async seal(opened, scope) {
      const [sealing] = await keys();
      if (sealing === undefined) throw new RangeError('There is no secret to seal with.');
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
      const how = parameters(iv, opened.key, scope);
      const sealed = new Uint8Array(await crypto.subtle.encrypt(how, sealing.key, written(opened)));
      // Joined, so that the text is one piece: it is looked up with every call.
      return [opened.key, toBase64Url(new Uint8Array([...sealing.id, ...iv, ...sealed]))].join('');
    },
    async open(id, scope) {
      if (!/^[\w-]{60,200}$/.test(id)) return undefined;
      const key = keyOf(id);
      const bytes = exactBytes(id.slice(keyLength));
      const sealing = bytes && (await keys()).find((known) => names(known, bytes));
      if (bytes === undefined || sealing === undefined) return undefined;
      const iv = bytes.slice(nameBytes, nameBytes + ivBytes);
      const opened = await decrypted(sealing, parameters(iv, key, scope), bytes.slice(nameBytes + ivBytes));
      return opened !== undefined && opened.expires > now() ? { key, ...opened } : undefined;
    },
  };
}

const parameters = (iv: Uint8Array<ArrayBuffer>, key: string, scope: SessionScope): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(JSON.stringify([key, scope.server, scope.epoch, scope.principal ?? null])),
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

/** The moment of the end, then the revision. */
function written({ expires, revision }: OpenedId): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(revision);
  const bytes = new Uint8Array(expiryBytes + text.length);
  for (let at = expiryBytes - 1, rest = expires; at >= 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  bytes.set(text, expiryBytes);
  return bytes;
}

function read(bytes: Uint8Array): Omit<OpenedId, 'key'> {
  const expires = bytes.subarray(0, expiryBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return { expires, revision: new TextDecoder().decode(bytes.subarray(expiryBytes)) };
}

/** The bytes that a text stands for, where it is the one text that does. */
function exactBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64Url(text);
    return toBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const names = ({ id }: SealingKey, bytes: Uint8Array): boolean => id.every((byte, at) => bytes[at] === byte);
