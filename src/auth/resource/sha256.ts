/** SHA-256 of a text, with what every runtime has. */
import { toBase64Url } from '../../lib/text/base64.ts';

export const sha256 = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

export const sha256Text = async (text: string): Promise<string> => toBase64Url(await sha256(text));
