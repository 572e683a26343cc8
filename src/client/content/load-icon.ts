/** Loads an icon safely: from trusted origins only, without credentials, within limits. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { fromBase64 } from '../../lib/text/base64.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { hold, joined } from '../../lib/values/byte-pieces.ts';
import type { Icon } from '../../protocol/generated/types/records.ts';
import { iconSource } from '../../protocol/icon-source.ts';
import { type ImageInfo, readImage } from './icon-image.ts';
import { iconOptions } from './icon-options.table.ts';
import type { IconOptions } from './icon-options.ts';
import { trustedSource } from './safe-icons.ts';

type IconSettings = Filled<IconOptions, typeof iconOptions>;

/** An icon with checked bytes. */
export interface LoadedIcon {
  /** The image. */
  readonly bytes: Uint8Array;
  /** The media type, detected from the bytes. */
  readonly mimeType: ImageInfo['mimeType'];
}

interface Payload {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
}

const maxHops = 3;

/** Loads and checks an icon. Throws `invalid-icon` with the reason. */
export async function loadIcon({ src, mimeType }: Icon, options: IconOptions = {}): Promise<LoadedIcon> {
  const settings = readOptions('loadIcon()', iconOptions, options);
  const url = trustedSource(src, settings);
  if (url === undefined) {
    throw refused('it is neither a data: URI nor at a trusted https: origin', {
      hint: "Pass the server's `origin`, or add to `trustedOrigins`.",
    });
  }
  const { bytes, contentType } =
    url.protocol === 'data:' ? unpacked(url, settings.maxBytes) : await fetched(url, settings);
  const image = readImage(bytes);
  checkImage(image, [mimeType, contentType], settings);
  return { bytes, mimeType: image.mimeType };
}

function checkImage(
  image: ImageInfo | undefined,
  declaredTypes: readonly (string | null | undefined)[],
  { svg, maxEdge }: IconSettings,
): asserts image is ImageInfo {
  if (image === undefined || (image.mimeType === 'image/svg+xml' && !svg))
    throw refused('it is not an accepted image type');
  const other = declaredTypes.find((type) => type != null && plainType(type) !== image.mimeType);
  if (other != null) throw refused(`its media type is ${JSON.stringify(other)}, but it is ${image.mimeType}`);
  const { width, height, animated } = image;
  if (width > maxEdge || height > maxEdge) throw refused(`it has ${width} times ${height} pixels`);
  if (animated) throw refused('it is animated');
}

/** A media type without its parameters, under its registered name. */
function plainType(type: string): string {
  const plain = type.replace(/;.*$/s, '').trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

/** The bytes of a `data:` URI. */
function unpacked({ pathname, search }: URL, maxBytes: number): Payload {
  const text = pathname + search;
  const comma = text.indexOf(',');
  const [contentType, body] = [text.slice(0, comma), text.slice(comma + 1)];
  // An escaped byte takes three characters.
  if (comma < 0 || body.length > maxBytes * 3) throw refused(comma < 0 ? 'its URI has no data' : tooLarge(maxBytes));
  const bytes = decoded(body, /;\s*base64\s*$/i.test(contentType));
  if (bytes.length > maxBytes) throw refused(tooLarge(maxBytes));
  return { bytes, contentType };
}

function decoded(body: string, isBase64: boolean): Uint8Array {
  try {
    const text = decodeURIComponent(body);
    return isBase64 ? fromBase64(text) : new TextEncoder().encode(text);
  } catch (cause) {
    throw refused('its URI cannot be decoded', { cause });
  }
}

async function fetched(url: URL, settings: IconSettings): Promise<Payload> {
  const { timeoutMs, maxBytes, signal } = settings;
  const limit = AbortSignal.timeout(timeoutMs);
  const response = await follow(url, settings, signal === undefined ? limit : AbortSignal.any([signal, limit]));
  if (response.status !== 200) throw refused(`its server answered ${response.status}`);
  return { bytes: await bounded(response, maxBytes), contentType: response.headers.get('content-type') };
}

/** Follows redirects itself, as long as they stay at the trusted origin. */
async function follow(url: URL, { fetch = globalThis.fetch }: IconSettings, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let hops = 0; hops <= maxHops; hops++) {
    const response = await fetch(at.href, {
      redirect: 'manual',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    });
    if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status > 399)) return response;
    // Browsers hide the target of a redirect, so none can be followed there.
    const to = response.headers.get('location');
    await response.body?.cancel();
    const next = to !== null && isUrl(to, at.href) ? iconSource(new URL(to, at).href) : undefined;
    if (next?.origin !== url.origin) throw refused('it redirects to another origin, or the target is hidden');
    at = next;
  }
  throw refused(`it redirects more than ${maxHops} times`);
}

/** Stops reading at the limit. */
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
    hold(pieces, read.value);
  }
  return joined(pieces, size);
}

const tooLarge = (maxBytes: number): string => `it has more than ${maxBytes} bytes`;

const refused = (why: string, more: { hint?: string; cause?: unknown } = {}): TenonError =>
  new TenonError('invalid-icon', `The icon was not loaded: ${why}.`, more);
