/** Which icons of a server may be loaded: their URIs are untrusted input. */

import { isUrl } from '../../lib/text/parse-url.ts';
import type { Icon } from '../../protocol/generated/types/records.ts';
import { iconSource } from '../../protocol/icon-source.ts';

/**
 * The origins of icons that are trusted. `data:` URIs are always accepted.
 * @area client
 * @noTable
 */
export interface IconTrust {
  /**
   * The origin of the server, or any URL at it.
   * @default off
   */
  readonly origin?: string;
  /**
   * Other origins, such as one that hosts images for the server.
   * @default off
   */
  readonly trustedOrigins?: readonly string[];
}

/** The URI of an icon if it is trusted. */
export function trustedSource(src: unknown, { origin, trustedOrigins: trusted = [] }: IconTrust): URL | undefined {
  const url = iconSource(src);
  if (url === undefined || url.protocol === 'data:') return url;
  const origins = [origin, ...trusted].flatMap((one) => (one !== undefined && isUrl(one) ? [new URL(one)] : []));
  return origins.some((one) => one.origin === url.origin) ? url : undefined;
}

/** The icons at the origin of the server, at a trusted origin, or in a `data:` URI. */
export const filterSafeIcons = (icons: readonly Icon[] = [], trust: IconTrust = {}): Icon[] =>
  icons.filter(({ src }) => trustedSource(src, trust) !== undefined);

/** A description of a server, without icons whose URI scheme is not allowed. */
export function withoutUnsafeIcons<T>(described: T): T {
  const { icons } = (described ?? {}) as { icons?: readonly Icon[] };
  if (icons === undefined || icons.every(({ src }) => iconSource(src) !== undefined)) return described;
  return { ...described, icons: icons.filter(({ src }) => iconSource(src) !== undefined) };
}
