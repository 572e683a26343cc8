/** The options of `bearerToken` and `apiKey`. */
import type { Rule } from '../lib/options/option-rules.ts';

/**
 * The options of `bearerToken()`: none.
 * @area credentials
 * @of `bearerToken`
 */
// biome-ignore lint/suspicious/noEmptyInterface: a fixed limit names the interface whose option it would be.
export interface BearerTokenOptions {}

/**
 * The options of `apiKey()`.
 * @area credentials
 * @of `apiKey`
 */
export interface ApiKeyOptions extends BearerTokenOptions {
  /**
   * The name of the header.
   * @default 'x-api-key'
   * @rule headerName
   */
  readonly header?: string;
}

/**
 * How long a function of `bearerToken` or `apiKey` may take to return a token.
 * @limit BearerTokenOptions.timeoutMs
 * @beyond the request fails
 * @code callback-failed
 */
export const tokenMs = 60_000;

export const headerName: Rule = {
  holds: (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(value),
  must: 'be the name of a header, such as x-api-key',
};
