/** Replaces the randomness and the cryptography of the process: seeded, and without threads, so that a run repeats exactly. */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { createRandom, type Random } from '../../client/reconnect/random.ts';

let current: Random | undefined;

const { random: realRandom } = Math;
const { subtle } = crypto;
const realBytes = crypto.getRandomValues.bind(crypto);
const realUuid = crypto.randomUUID.bind(crypto);

/** From now on everything random comes from this seed; `undefined` restores the process. */
export function seedProcess(seed: number | undefined): void {
  current = seed === undefined ? undefined : createRandom(seed);
}

// At import, before the product is loaded: some of its modules take `Math.random` when they are loaded.
Math.random = () => current?.next() ?? realRandom();

function seededBytes<T extends ArrayBufferView | null>(view: T): T {
  const random = current;
  if (random === undefined || view === null) return realBytes(view as never) as T;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
  return view;
}

function seededUuid(): ReturnType<typeof crypto.randomUUID> {
  if (current === undefined) return realUuid();
  const hex = [...seededBytes(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const tagBytes = 16;
const rawKeys = new WeakMap<object, Uint8Array>();

const bytesOf = (data: BufferSource): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);

const cipherOf = (raw: Uint8Array): 'aes-128-gcm' | 'aes-256-gcm' =>
  raw.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm';

/** What the product uses, computed at once: the real functions answer from a thread, in no fixed order. */
const atOnce = {
  async digest(_name: string, data: BufferSource) {
    return new Uint8Array(createHash('sha256').update(bytesOf(data)).digest()).buffer;
  },
  async importKey(...given: Parameters<SubtleCrypto['importKey']>) {
    const key = { algorithm: given[2] };
    rawKeys.set(key, Uint8Array.from(bytesOf(given[1] as BufferSource)));
    return key;
  },
  async encrypt({ iv, additionalData }: AesGcmParams, key: object, data: BufferSource) {
    const raw = rawKeys.get(key) as Uint8Array;
    const cipher = createCipheriv(cipherOf(raw), raw, bytesOf(iv));
    if (additionalData !== undefined) cipher.setAAD(bytesOf(additionalData));
    const parts = [cipher.update(bytesOf(data)), cipher.final()];
    return new Uint8Array(Buffer.concat([...parts, cipher.getAuthTag()])).buffer;
  },
  async decrypt({ iv, additionalData }: AesGcmParams, key: object, data: BufferSource) {
    const raw = rawKeys.get(key) as Uint8Array;
    const sealed = bytesOf(data);
    const cipher = createDecipheriv(cipherOf(raw), raw, bytesOf(iv));
    if (additionalData !== undefined) cipher.setAAD(bytesOf(additionalData));
    cipher.setAuthTag(sealed.subarray(-tagBytes));
    return new Uint8Array(Buffer.concat([cipher.update(sealed.subarray(0, -tagBytes)), cipher.final()])).buffer;
  },
};

const virtualSubtle = new Proxy(subtle, {
  get(_real, name: string) {
    if (current === undefined) return (subtle[name as keyof SubtleCrypto] as () => unknown).bind(subtle);
    if (name in atOnce) return atOnce[name as keyof typeof atOnce];
    throw new Error(`crypto.subtle.${name} runs in a thread: add it to virtual-random.ts`);
  },
});

const virtualCrypto = new Proxy(crypto, {
  get(real, name: keyof Crypto) {
    if (name === 'subtle') return virtualSubtle;
    if (name === 'getRandomValues') return seededBytes;
    if (name === 'randomUUID') return seededUuid;
    return real[name];
  },
});

Object.defineProperty(globalThis, 'crypto', { value: virtualCrypto, configurable: true });
