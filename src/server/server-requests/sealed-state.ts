/** State that travels through the client and back: encrypted, and bound to the very call it was made for. */

import { TenonError } from '../../jsonrpc/errors.ts';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts';
import { canonicalJson } from '../../protocol/canonical-json.ts';
import { createKeyRing } from './key-ring.ts';

/** What a state is good for: one server, one caller, one call, one definition of its handler. */
export interface StateBinding {
  readonly server: string;
  /** Issuer and subject of the caller, never a token. */
  readonly principal: string;
  readonly method: string;
  /** The name or URI that is called. */
  readonly target: string;
  /** The arguments as they arrived, without defaults. */
  readonly given: unknown;
  /** Changes when the definition of the handler does. */
  readonly definition: string;
}

export interface SealOptions {
  /** The key to seal with, then earlier ones that still open. Without any, one is made for this process. */
  readonly secrets?: readonly string[];
  readonly lifetimeMs?: number;
  /** The most that a sealed state may have, in characters. */
  readonly maxLength?: number;
  readonly now?: () => number;
  /** Marks a state as used; false if it was used before. With it, a state opens once. */
  readonly burn?: (nonce: string, expires: number) => boolean | Promise<boolean>;
}

export interface Sealer {
  /** Throws `request-state-too-large` when the content does not fit. */
  seal(content: unknown, binding: StateBinding): Promise<string>;
  /**
   * The content, or `undefined` for every reason alike: forged, expired, used, or made for another call. Throws only
   * what `burn` throws.
   */
  open(state: string, binding: StateBinding): Promise<unknown>;
}

const version = 't1';
const ivBytes = 12;

export function createSealer(options: SealOptions = {}): Sealer {
  const { lifetimeMs = 15 * 60_000, maxLength = 64 * 1024, now = Date.now, burn } = options;
  let announced = options.secrets !== undefined;
  const keys = createKeyRing('tenon state', options.secrets);

  async function seal(content: unknown, binding: StateBinding): Promise<string> {
    if (!announced) announce();
    announced = true;
    const [key] = await keys();
    if (key === undefined) throw new TenonError('invalid-definition', 'secrets: at least one is needed to seal state.');
    const expires = now() + lifetimeMs;
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const head = `${version}.${toBase64Url(key.id)}.${expires}`;
    const text = new TextEncoder().encode(JSON.stringify(content));
    const sealed = await crypto.subtle.encrypt(parameters(iv, head, binding), key.key, text);
    const state = `${head}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    if (state.length <= maxLength) return state;
    throw new TenonError(
      'request-state-too-large',
      `The state of a call has ${state.length} characters, over the limit of ${maxLength}.`,
      {
        hint: 'Keep less in ctx.step, or ask for less in one call.',
      },
    );
  }

  async function open(state: string, binding: StateBinding): Promise<unknown> {
    if (state.length > maxLength) return undefined;
    const [marker, id, expires, iv, sealed, ...rest] = state.split('.');
    const key = (await keys()).find((known) => toBase64Url(known.id) === id);
    if (marker !== version || key === undefined || sealed === undefined || rest.length > 0) return undefined;
    if (!/^\d{1,16}$/.test(expires ?? '') || Number(expires) < now()) return undefined;
    const content = await decrypted(key.key, `${marker}.${id}.${expires}`, { iv: iv ?? '', sealed }, binding);
    if (content === undefined) return undefined;
    if (burn !== undefined && !(await burn(`${id}.${iv}`, Number(expires)))) return undefined;
    return content;
  }

  return { seal, open };
}

async function decrypted(
  key: CryptoKey,
  head: string,
  { iv, sealed }: { readonly iv: string; readonly sealed: string },
  binding: StateBinding,
): Promise<unknown> {
  try {
    const how = parameters(fromBase64Url(iv), head, binding);
    const plain = await crypto.subtle.decrypt(how, key, fromBase64Url(sealed));
    return JSON.parse(new TextDecoder().decode(plain));
  } catch {
    return undefined;
  }
}

/** The head and the binding are authenticated with the content, so that neither can be exchanged. */
const parameters = (iv: Uint8Array<ArrayBuffer>, head: string, binding: StateBinding): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(`${head}\n${canonicalJson(binding)}`),
});

/** Said once, when it begins to matter: a call that asks under this key cannot be finished elsewhere or later. */
const announce = (): void =>
  console.warn(
    'tenon: calls that ask are sealed with a key of this process. It does not survive a restart, and no other node has it: set state.secrets.',
  );
