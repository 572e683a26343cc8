/** The options of `loadIcon`, and the limits of it that no option sets. */
import type { Rule } from '../../lib/options/option-rules.ts';
import type { IconTrust } from './safe-icons.ts';

/**
 * The options of `loadIcon`.
 * @area client
 * @of `loadIcon`
 */
export interface IconOptions extends IconTrust {
  /**
   * Whether SVG is accepted besides PNG, JPEG and WebP. It can contain scripts: show it as an image, never as part of a page.
   * @default false
   */
  readonly svg?: boolean;
  /**
   * Bytes of an icon.
   * @default 256 Ki
   * @beyond the icon is rejected
   * @code invalid-icon
   */
  readonly maxBytes?: number;
  /**
   * Cancels loading.
   * @default off
   * @rule abortSignal
   */
  readonly signal?: AbortSignal;
  /**
   * The `fetch` to use. It must respect `redirect` and `credentials`.
   * @default computed the global one
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Pixels of the width and of the height of an icon.
 * @limit IconOptions.maxEdge
 * @default 1024
 * @beyond the icon is rejected
 * @code invalid-icon
 */
export const maxEdge = 1024;

/**
 * How long loading an icon may take.
 * @limit IconOptions.timeoutMs
 * @beyond `loadIcon` rejects with the `TimeoutError` of fetch
 */
export const iconTimeoutMs = 10_000;

export const abortSignal: Rule = {
  holds: (value) => value instanceof AbortSignal,
  must: 'be the signal of an AbortController',
};
