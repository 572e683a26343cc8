/** Encrypted texts: AES-256-GCM by the newest secret, bound to the path of the value. */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { keyMissing, kindOf, type Path, sealedStart } from '../store/codec.ts';
import { SecretKey } from './secret-key.ts';

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = saltBytes + nonceBytes;

/** After so many values a writer makes a new salt: random nonces of 96 bits may encrypt 2 ** 32 with one key. */
const valuesPerSalt = 2 ** 24;

interface Writer {
  readonly salt: Buffer;
  readonly key: KeyObject;
  left: number;
}

export class SealedTexts {
  readonly #keys: ReadonlyMap<string, SecretKey>;
  readonly #newest: SecretKey;
  #writer: Writer | undefined;

  /** The first secret encrypts. */
  constructor(secrets: readonly string[]) {
    const keys = secrets.map((secret) => new SecretKey(secret));
    this.#newest = keys[0] as SecretKey;
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  seal(path: Path, text: string): string {
    const { salt, key } = this.#nextWriter();
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(boundTo(path));
    const parts = [salt, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${sealedStart}${this.#newest.id}.${Buffer.concat(parts).toString('base64url')}`;
  }

  open(path: Path, sealed: string): string {
    if (!sealed.startsWith(sealedStart)) throw changed(path, 'is not encrypted');
    const end = sealed.indexOf('.', sealedStart.length);
    const key = this.#keys.get(idOf(sealed));
    if (key === undefined) throw keyMissing(kindOf(path));
    const text = sealed.slice(end + 1);
    const bytes = Buffer.from(text, 'base64url');
    // Other texts decode to the same bytes: only the one that was written is accepted.
    if (bytes.length < headBytes + tagBytes || bytes.toString('base64url') !== text) throw changed(path, wasChanged);
    return this.#decrypt(path, key, bytes);
  }

  /** Whether a text is encrypted with the newest secret. */
  isNewest(sealed: string): boolean {
    return idOf(sealed) === this.#newest.id;
  }

  #decrypt(path: Path, secret: SecretKey, bytes: Buffer): string {
    const key = secret.of(bytes.subarray(0, saltBytes));
    const nonce = bytes.subarray(saltBytes, headBytes);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(boundTo(path));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return decipher.update(bytes.subarray(headBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw changed(path, wasChanged);
    }
  }

  #nextWriter(): Writer {
    if (this.#writer === undefined || this.#writer.left === 0) {
      const salt = randomBytes(saltBytes);
      this.#writer = { salt, key: this.#newest.of(salt), left: valuesPerSalt };
    }
    this.#writer.left--;
    return this.#writer;
  }
}

const boundTo = (path: Path): Buffer => Buffer.from(JSON.stringify(path));

const idOf = (sealed: string): string => sealed.slice(sealedStart.length, sealed.indexOf('.', sealedStart.length));

const wasChanged = 'was changed, or moved from another key';

const changed = (path: Path, problem: string): TenonError =>
  new TenonError('store-tampered', `A stored ${kindOf(path)} ${problem}.`, {
    hint: 'Something else than Tenon has written to the store. Find out who can write to it, and delete the value.',
    details: { what: kindOf(path) },
  });
