/** The options of `createUrlGuard`, and the limit of it that no option sets. */
import { isTexts, type Rule } from '../../lib/options/option-rules.ts';
import type { LookupAddresses } from './connections.ts';

/**
 * The options of `createUrlGuard`.
 * @area input safety
 */
export interface UrlGuardOptions {
  /**
   * The URLs that are allowed: `https://api.example.com` for one host, `https://*.example.com` for its subdomains,
   * `https://*` for every public host. A path allows what is below it; a port must be written.
   * @rule allowedUrls
   */
  readonly allow: readonly string[];
  /**
   * Networks that are allowed though they are not public, such as `10.1.0.0/16`.
   * @default off, none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * Bytes of a response after decompression.
   * @default 10 Mi
   * @beyond the request fails
   * @code response-too-large
   */
  readonly maxResponseBytes?: number;
  /**
   * How long a request may take, from the call of `fetch` to the last byte of the body.
   * @default 30 s
   * @whole
   * @beyond the request fails
   * @code timeout
   */
  readonly timeoutMs?: number;
  /**
   * Finds the addresses of a host name.
   * @default computed the resolver of the system
   */
  readonly lookup?: LookupAddresses;
}

/**
 * Redirects of one `fetch`.
 * @limit UrlGuardOptions.maxRedirects
 * @beyond the request fails
 * @code too-many-redirects
 */
export const maxRedirects = 5;

export const allowedUrls: Rule = {
  holds: (value) => isTexts(value) && (value as readonly string[]).length > 0,
  must: 'list at least one URL',
};
