/** Nonces of the server for DPoP proofs: a MAC of the time, so that every node with the same secret accepts them. */
import { toBase64Url } from '../../../lib/text/base64.ts';
import { secretBytes } from '../../../server/server-requests/key-ring.ts';

/**
 * How long a nonce for DPoP proofs is accepted: in its slot and the next; one slot ahead too, since the clocks of nodes differ.
 * @limit auth
 * @default 2 to 4 min
 * @beyond 401 with a new nonce
 */
const slotMs = 120_000;

interface Slot {
  readonly number: number;
  readonly current: string;
  readonly accepted: ReadonlySet<string>;
}

export class Nonces {
  readonly #secrets: readonly string[] | undefined;
  #keys: Promise<readonly CryptoKey[]> | undefined;
  #slot: Slot | undefined;

  /** Without secrets, those of other processes are not accepted. */
  constructor(secrets?: readonly string[]) {
    this.#secrets = secrets;
  }

  /** The nonce for the next proofs. */
  async current(): Promise<string> {
    return (await this.#now()).current;
  }

  async accepts(nonce: unknown): Promise<boolean> {
    return typeof nonce === 'string' && (await this.#now()).accepted.has(nonce);
  }

  async #now(): Promise<Slot> {
    const number = Math.floor(Date.now() / slotMs);
    if (this.#slot?.number !== number) this.#slot = await this.#make(number);
    return this.#slot;
  }

  async #make(number: number): Promise<Slot> {
    // A secret is made at the first request: workers make no random values while a module loads.
    this.#keys ??= Promise.all((this.#secrets ?? [randomSecret()]).map(keyOf));
    const keys = await this.#keys;
    const nonces = await Promise.all(
      [number, number - 1, number + 1].flatMap((slot) => keys.map((key) => nonceOf(key, slot))),
    );
    return { number, current: nonces[0] ?? '', accepted: new Set(nonces) };
  }
}

const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

const keyOf = async (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', await secretBytes('tenon dpop nonce', secret), algorithm, false, ['sign']);

async function nonceOf(key: CryptoKey, slot: number): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(String(slot)));
  return toBase64Url(new Uint8Array(mac).slice(0, 18));
}
