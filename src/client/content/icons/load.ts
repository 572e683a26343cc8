/** Loads an icon as something that is safe to decode: from where it may come from, without credentials, within limits. */

import { TenonError } from '../../../jsonrpc/errors.ts';
import { isUrl } from '../../../protocol/addresses.ts';
import { fromBase64 } from '../../../protocol/base64.ts';
import type { Icon } from '../../../protocol/generated/types/records.ts';
import { iconSource } from '../../../protocol/icon-source.ts';
import { type ImageFacts, readImage } from './image.ts';
import { type IconTrust, trustedSource } from './safe.ts';

export interface IconOptions extends IconTrust {
  /** Takes SVG besides PNG, JPEG and WebP. It can hold scripts: show it as an image, never as part of a page. */
  readonly svg?: boolean;
  /** 256 KiB by default. */
  readonly maxBytes?: number;
  /** The most pixels an edge may have; 1024 by default. */
  readonly maxEdge?: number;
  /** 10 seconds by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** What fetches; the runtime's own by default. It must leave redirects and credentials to what it is told. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface LoadedIcon {
  readonly bytes: Uint8Array;
  /** What the bytes are, whatever anybody said they are. */
  readonly mimeType: ImageFacts['mimeType'];
}

interface Payload {
  readonly bytes: Uint8Array;
  readonly said: string | null;
}

const maxHops = 3;

/** Throws `invalid-icon` for an icon that is not what it should be, and says why. */
export async function loadIcon({ src, mimeType }: Icon, options: IconOptions = {}): Promise<LoadedIcon> {
  const url = trustedSource(src, options);
  if (url === undefined) {
    throw refused('it is neither a data: URI nor at a trusted https: origin', {
      hint: "Pass the server's `origin`, or add to `trustedOrigins`.",
    });
  }
  const { maxBytes = 256 * 1024 } = options;
  const { bytes, said } = url.protocol === 'data:' ? unpacked(url, maxBytes) : await fetched(url, maxBytes, options);
  const image = readImage(bytes);
  checkImage(image, [mimeType, said], options);
  return { bytes, mimeType: image.mimeType };
}

function checkImage(
  image: ImageFacts | undefined,
  said: readonly (string | null | undefined)[],
  { svg = false, maxEdge = 1024 }: IconOptions,
): asserts image is ImageFacts {
  if (image === undefined || (image.mimeType === 'image/svg+xml' && !svg))
    throw refused('it is no image of a kind taken');
  const other = said.find((type) => type != null && plainType(type) !== image.mimeType);
  if (other != null) throw refused(`its media type is ${JSON.stringify(other)}, but it is ${image.mimeType}`);
  const { width, height, animated } = image;
  if (width > maxEdge || height > maxEdge) throw refused(`it has ${width} times ${height} pixels`);
  if (animated) throw refused('it moves');
}

/** A media type without its parameters, under the one name that it has. */
function plainType(type: string): string {
  const plain = type.replace(/;.*$/s, '').trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

/** The bytes within a `data:` URI. */
function unpacked({ pathname, search }: URL, maxBytes: number): Payload {
  const text = pathname + search;
  const comma = text.indexOf(',');
  const [said, body] = [text.slice(0, comma), text.slice(comma + 1)];
  // Three characters are the most that one byte takes, escaped.
  if (comma < 0 || body.length > maxBytes * 3) throw refused(comma < 0 ? 'its URI has no data' : tooLarge(maxBytes));
  const bytes = decoded(body, /;\s*base64\s*$/i.test(said));
  if (bytes.length > maxBytes) throw refused(tooLarge(maxBytes));
  return { bytes, said };
}

function decoded(body: string, isBase64: boolean): Uint8Array {
  try {
    const text = decodeURIComponent(body);
    return isBase64 ? fromBase64(text) : new TextEncoder().encode(text);
  } catch (cause) {
    throw refused('its URI cannot be decoded', { cause });
  }
}

async function fetched(url: URL, maxBytes: number, options: IconOptions): Promise<Payload> {
  const { timeoutMs = 10_000, signal } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const response = await follow(url, options, signal === undefined ? limit : AbortSignal.any([signal, limit]));
  if (response.status !== 200) throw refused(`its server answered ${response.status}`);
  return { bytes: await bounded(response, maxBytes), said: response.headers.get('content-type') };
}

/** Follows redirects by hand, as long as they stay at the origin that was trusted. */
async function follow(url: URL, { fetch = globalThis.fetch }: IconOptions, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let hops = 0; hops <= maxHops; hops++) {
    const response = await fetch(at.href, {
      redirect: 'manual',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    });
    if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status > 399)) return response;
    // Browsers hide where a redirect leads, so there none can be followed.
    const to = response.headers.get('location');
    await response.body?.cancel();
    const next = to !== null && isUrl(to, at.href) ? iconSource(new URL(to, at).href) : undefined;
    if (next?.origin !== url.origin) throw refused('it redirects to another place, or to one that cannot be seen');
    at = next;
  }
  throw refused(`it redirects more than ${maxHops} times`);
}

/** Stops reading as soon as there is too much. */
async function bounded({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    size += read.value.length;
    if (size > maxBytes) {
      await reader?.cancel();
      throw refused(tooLarge(maxBytes));
    }
    pieces.push(read.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const tooLarge = (maxBytes: number): string => `it has more than ${maxBytes} bytes`;

const refused = (why: string, more: { hint?: string; cause?: unknown } = {}): TenonError =>
  new TenonError('invalid-icon', `The icon was not loaded: ${why}.`, more);
