/** What follows from `secrets`: keys that seal texts and sign values. The first secret writes, all of them read. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/** The keys of one secret. */
class SecretKeys {
  readonly seal: Buffer;
  readonly sign: Buffer;

  constructor(secret: string) {
    const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'tenon auth-server', use, 32));
    this.seal = derive('seal');
    this.sign = derive('sign');
  }
}

/** Seals and signs. Every text is bound to a purpose, so that one of another purpose is not accepted instead. */
export class Secrets {
  readonly #keys: readonly SecretKeys[];
  readonly #first: SecretKeys;

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => new SecretKeys(secret));
    this.#first = this.#keys[0] as SecretKeys;
  }

  /** Encrypts a text (AES-256-GCM), as Base64url. */
  seal(purpose: string, text: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#first.seal, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** The text, if one of the secrets has sealed it for this purpose. */
  open(purpose: string, sealed: string): string | undefined {
    return this.#opened(purpose, sealed)?.text;
  }

  /** A signature of a sealed text by the secret that has sealed it: it stays the same while the text can be opened. */
  signSealed(purpose: string, sealed: string): string | undefined {
    const opened = this.#opened(purpose, sealed);
    return opened && signature(opened.keys, purpose, sealed);
  }

  #opened(purpose: string, sealed: string): { readonly text: string; readonly keys: SecretKeys } | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // Several texts have the same bytes: only the one that was made is accepted.
    if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined;
    for (const keys of this.#keys) {
      const text = openedWith(keys.seal, purpose, bytes);
      if (text !== undefined) return { text, keys };
    }
    return undefined;
  }

  /** A signature (HMAC-SHA256), as Base64url. */
  sign(purpose: string, text: string): string {
    return signature(this.#first, purpose, text);
  }

  /** The signatures of all secrets, that of the first one first. */
  signatures(purpose: string, text: string): readonly string[] {
    return this.#keys.map((keys) => signature(keys, purpose, text));
  }

  /** Whether one of the secrets has signed the text. */
  isSigned(purpose: string, text: string, claimed: string): boolean {
    return this.#keys.some((keys) => isSame(signature(keys, purpose, text), claimed));
  }
}

const signature = ({ sign }: SecretKeys, purpose: string, text: string): string =>
  createHmac('sha256', sign).update(`${purpose}\0${text}`).digest('base64url');

function openedWith(key: Buffer, purpose: string, bytes: Buffer): string | undefined {
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(purpose));
    cipher.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([cipher.update(bytes.subarray(ivBytes, -tagBytes)), cipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Compares in the same time wherever the first difference is. */
export function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
