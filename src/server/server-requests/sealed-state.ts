/** State that travels through the client and back: encrypted, and bound to its call. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { fromBase64Url, toBase64Url } from '../../lib/text/base64.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
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
  readonly given: unknown;
  /** Changes when the definition of the handler does. */
  readonly definition: string;
}

/** How the state of a call that waits for input is sealed. It travels through the client as `requestState`. */
export interface RequestStateOptions {
  /** How long a state can be used; 15 minutes by default. */
  readonly ttlMs?: number;
  /** The largest state in characters, sealed; 65 536 by default. A call with more fails with `request-state-too-large`. */
  readonly maxChars?: number;
  /**
   * Makes each state usable once, so that every repeat is refused: stores the nonce until `expires` (milliseconds since
   * 1970), and returns whether it is new. By default the store of the server remembers the calls that have finished: a
   * repeat gets the same result, or an error, and its handler does not run again.
   */
  readonly consumeNonce?: (nonce: string, expires: number) => boolean | Promise<boolean>;
  /**
   * Whether input responses need the state of the call that requested them; true by default. With `false`, responses
   * without a state are accepted too: they may answer a request that has changed since, or that another user got.
   */
  readonly required?: boolean;
  /**
   * How many finished calls are remembered until their states have expired, without a `store`; 100 000 by default, a
   * quarter of them for one principal. Beyond it, a call that continues gets `overloaded`. A store has its own limits.
   */
  readonly maxUsed?: number;
  /** How many characters of their results are stored without a `store`; 16 million by default. Beyond it the oldest are dropped, and a repeat gets an error. */
  readonly maxResultChars?: number;
}

const defaultTtlMs = 15 * 60_000;

/** How long and how many calls are remembered that have used up their states. */
export const usedStateLimits = ({
  ttlMs = defaultTtlMs,
  maxUsed = 100_000,
  maxResultChars = 16_000_000,
}: RequestStateOptions): { ttlMs: number; maxUsed: number; maxResultChars: number } => ({
  ttlMs,
  maxUsed,
  maxResultChars,
});

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

export function createSealer(options: RequestStateOptions = {}, secrets?: readonly string[]): Sealer {
  const { ttlMs = defaultTtlMs, maxChars = 64 * 1024, consumeNonce } = options;
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
      `The state of a call has ${state.length} characters; requestState.maxChars is ${maxChars}.`,
      { hint: 'Return less from ctx.step(), request less input in one call, or raise requestState.maxChars.' },
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
  consumeNonce: NonNullable<RequestStateOptions['consumeNonce']>,
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

const ownKeyWarning =
  'tenon: the option secrets of createServer() is not set, so requestState is sealed with a key of this process. A call that waits for input fails after a restart, and on another node. Set secrets to the same list on all nodes.';
