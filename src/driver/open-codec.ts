/** The codec of a store: from its secrets, and from the marker by which an encrypted store is known. */
import { createHmac, randomBytes } from 'node:crypto';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { type Codec, keyMissing, type Path, plainCodec } from '../store/codec.ts';
import type { EncryptionOptions } from './encryption-options.ts';
import { SealedTexts } from './sealed-texts.ts';

/**
 * The marker of an encrypted store is the key of its names, encrypted. It outlives rotations, so that names stay the
 * same, and a process with wrong secrets fails when it opens the store.
 */
export interface StoreCodec extends Codec {
  /** A marker for a new store; empty without encryption. */
  newMarker(): string;
  /**
   * Adopts the marker that the store has, and returns one that replaces it after a rotation. Throws if the store is
   * encrypted and this process has not its key, and if it has data that is not encrypted though it should be.
   */
  adopt(marker: string | undefined): string | undefined;
}

/** `place` is where the store is, if others are beside it: values cannot be moved between them. */
export function codecFor(encryption: EncryptionOptions | undefined, place = ''): StoreCodec {
  return encryption === undefined ? plainStoreCodec : new EncryptedCodec(encryption.keys, place);
}

const plainStoreCodec: StoreCodec = {
  ...plainCodec,
  newMarker: () => '',
  adopt(marker) {
    if (marker !== undefined) throw keyMissing('value');
    return undefined;
  },
};

const nameBytes = 18;

class EncryptedCodec implements StoreCodec {
  readonly hidesNames = true;
  readonly #texts: SealedTexts;
  readonly #place: string;
  #nameKey: Buffer | undefined;

  constructor(secrets: readonly string[], place: string) {
    this.#texts = new SealedTexts(secrets);
    this.#place = place;
  }

  newMarker(): string {
    return this.#texts.seal(this.#at(markerPath), randomBytes(32).toString('base64url'));
  }

  adopt(marker: string | undefined): string | undefined {
    if (marker === undefined) throw notEncrypted();
    const key = this.#texts.open(this.#at(markerPath), marker);
    this.#nameKey = Buffer.from(key, 'base64url');
    return this.#texts.isNewest(marker) ? undefined : this.#texts.seal(this.#at(markerPath), key);
  }

  seal(path: Path, text: string): string {
    return this.#texts.seal(this.#at(path), text);
  }

  open(path: Path, stored: string): string {
    return this.#texts.open(this.#at(path), stored);
  }

  name(path: Path): string {
    if (this.#nameKey === undefined) throw new TenonError('store-failed', 'The store is not open yet.');
    const mac = createHmac('sha256', this.#nameKey).update(JSON.stringify(path)).digest();
    return mac.subarray(0, nameBytes).toString('base64url');
  }

  /** The place is last, since errors name the first part. */
  #at(path: Path): Path {
    return [...path, this.#place];
  }
}

const markerPath: Path = ['marker'];

const notEncrypted = (): TenonError =>
  new TenonError('store-not-encrypted', 'The store has data that is not encrypted.', {
    hint: 'Values that are not encrypted could have been written by anyone. Use a new file of SQLite, a new prefix in Redis, or a new schema in PostgreSQL.',
  });
