/** The digest of bytes, as entries of skills write it. */
import { toHex } from '../../lib/text/hex.ts';

export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return `sha256:${toHex(new Uint8Array(hash))}`;
}
