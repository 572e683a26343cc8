/** URLs that tokens and keys may be exchanged with: over TLS, or on this machine. */
import { isUrl } from '../lib/text/parse-url.ts';

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** Whether a value is a redirect URI: over TLS or on this machine, as MCP requires, and without a fragment (OAuth 2.1, 2.3). */
export const isRedirectUri = (value: unknown): value is string => isSecureUrl(value) && !value.includes('#');

/** Whether a value is an https URL, or an http URL of this machine. */
export function isSecureUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !isUrl(value)) return false;
  const url = new URL(value);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}
