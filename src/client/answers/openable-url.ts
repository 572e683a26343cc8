/** The URLs of elicitations that a client shows to its user. */
import { parseUrl } from '../../lib/text/parse-url.ts';

export const webSchemes: readonly string[] = ['http', 'https'];

/**
 * The URL as a browser would open it, so that the user sees no other. `undefined` for other schemes, which could start a
 * program or run a script, and for a URL with a user name, which can look like its host: https://bank.example@other.example
 */
export function openableUrl(text: string, schemes: readonly string[] = webSchemes): string | undefined {
  const url = parseUrl(text);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  return schemes.includes(url.protocol.slice(0, -1)) ? url.href : undefined;
}
