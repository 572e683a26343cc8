/** State that travels through the client and back: encrypted, and bound to its call. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { fromExactBase64Url, toBase64Url } from '../../lib/text/base64.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { RequestStateSettings } from '../ports/option-settings.ts';
import { createKeyRing } from './key-ring.ts';

/** The binding of a state: one server, one caller, one call, one definition of its handler. */
export interface StateBinding {
  readonly server: string;
  /** Issuer and subject of the caller, never a token. */
  readonly principal: string;
  readonly method: string;
  /** The name or URI that is called. */
  readonly target: string;
  /** The arguments as they arrived, without defaults. */
  readonly arguments: unknown;
  /** Changes when the definition of the handler does. */
  readonly definition: string;
}

export interface Sealer {
  /** Throws `request-state-too-large` when the content does not fit. `now` is milliseconds since 1970. */
  seal(content: unknown, binding: StateBinding, now?: number): Promise<string>;
  /**
   * The content, or `undefined` for every reason alike: forged, expired, used, or made for another call. Throws
   * `callback-failed` if `consumeNonce` throws.
   */
  open(state: string, binding: StateBinding, now?: number): Promise<unknown>;
  /** Warns once where `secrets` is not set: for calls that may continue in another process. */
  warnOfOwnKey(): void;
}

const version = 't1';
const ivBytes = 12;

export function createSealer(
  { ttlMs, maxChars, consumeNonce }: Pick<RequestStateSettings, 'ttlMs' | 'maxChars' | 'consumeNonce'>,
  secrets?: readonly string[],
): Sealer {
  let isWarned = secrets !== undefined;
  const keys = createKeyRing('tenon state', secrets);

  async function seal(content: unknown, binding: StateBinding, now = Date.now()): Promise<string> {
    const [key] = await keys();
    if (key === undefined) throw new TenonError('invalid-definition', 'secrets must have at least one secret.');
    const expires = now + ttlMs;
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const head = `${version}.${toBase64Url(key.id)}.${expires}`;
    const text = new TextEncoder().encode(JSON.stringify(content));
    const sealed = await crypto.subtle.encrypt(parameters(iv, head, binding), key.key, text);
    const state = `${head}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    if (state.length <= maxChars) return state;
    throw new TenonError(
      'request-state-too-large',
      `The state of a call has ${state.length} characters; at most ${maxChars} fit.`,
      { hint: 'Return less from ctx.step(), or request less input in one call.' },
    );
  }

  async function open(state: string, binding: StateBinding, now = Date.now()): Promise<unknown> {
    if (state.length > maxChars) return undefined;
    const [marker, id, expires, iv, sealed, ...rest] = state.split('.');
    const key = (await keys()).find((known) => toBase64Url(known.id) === id);
    if (marker !== version || key === undefined || sealed === undefined || rest.length > 0) return undefined;
    if (!/^\d{1,16}$/.test(expires ?? '') || Number(expires) < now) return undefined;
    const content = await decrypted(key.key, `${marker}.${id}.${expires}`, { iv: iv ?? '', sealed }, binding);
    if (content === undefined) return undefined;
    const isFirst = consumeNonce === undefined || (await consumed(consumeNonce, `${id}.${iv}`, Number(expires)));
    return isFirst ? content : undefined;
  }

  function warnOfOwnKey(): void {
    if (!isWarned) console.warn(ownKeyWarning);
    isWarned = true;
  }

  return { seal, open, warnOfOwnKey };
}

async function consumed(
  consumeNonce: NonNullable<RequestStateSettings['consumeNonce']>,
  nonce: string,
  expires: number,
): Promise<boolean> {
  try {
    return await consumeNonce(nonce, expires);
  } catch (cause) {
    throw new TenonError('callback-failed', 'requestState.consumeNonce() failed; the call was refused.', { cause });
  }
}

async function decrypted(
  key: CryptoKey,
  head: string,
  { iv, sealed }: { readonly iv: string; readonly sealed: string },
  binding: StateBinding,
): Promise<unknown> {
  // With another text of the same bytes, a state that was used up could be used again.
  const [nonce, sealedBytes] = [fromExactBase64Url(iv), fromExactBase64Url(sealed)];
  if (nonce === undefined || sealedBytes === undefined) return undefined;
  try {
    const how = parameters(nonce, head, binding);
    const plain = await crypto.subtle.decrypt(how, key, sealedBytes);
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

const ownKeyWarning =
  'tenon: the option secrets of createServer() is not set, so requestState is sealed with a key of this process. A call that waits for input fails after a restart, and on another node. Set secrets to the same list on all nodes.';
