/** Which icons of a server may be looked at: what a server says of its icons is hostile input. */

import { isUrl } from '../../../protocol/addresses.ts';
import type { Icon } from '../../../protocol/generated/types/records.ts';
import { iconSource } from '../../../protocol/icon-source.ts';

/** Whose icons are taken. Icons that are written into their URI as `data:` come from nowhere and are always taken. */
export interface IconTrust {
  /** The server's own origin, or any URL at it. */
  readonly origin?: string;
  /** Other origins, such as one that keeps images for the server. */
  readonly trustedOrigins?: readonly string[];
}

/** The URI of an icon if it may be fetched, or needs no fetching. */
export function trustedSource(src: unknown, { origin, trustedOrigins: trusted = [] }: IconTrust): URL | undefined {
  const url = iconSource(src);
  if (url === undefined || url.protocol === 'data:') return url;
  const origins = [origin, ...trusted].flatMap((one) => (one !== undefined && isUrl(one) ? [new URL(one)] : []));
  return origins.some((one) => one.origin === url.origin) ? url : undefined;
}

/** The icons that come from the server's own origin, a trusted one, or with their URI. */
export const filterSafeIcons = (icons: readonly Icon[] = [], trust: IconTrust = {}): Icon[] =>
  icons.filter(({ src }) => trustedSource(src, trust) !== undefined);

/** What a server says of itself or offers, without icons by schemes that no icon may have. */
export function withoutUnsafeIcons<T>(described: T): T {
  const { icons } = (described ?? {}) as { icons?: readonly Icon[] };
  if (icons === undefined || icons.every(({ src }) => iconSource(src) !== undefined)) return described;
  return { ...described, icons: icons.filter(({ src }) => iconSource(src) !== undefined) };
}
