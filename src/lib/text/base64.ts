/** Base64, with functions that every runtime has. */

/** Bytes passed as arguments in one call: more would overflow the stack. */
const piece = 0x2000;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += piece) {
    binary += String.fromCharCode(...bytes.subarray(start, start + piece));
  }
  return btoa(binary);
}

/** Throws on text that is not Base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The alphabet that needs no escaping in URLs, without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));

/** The bytes of a text as `toBase64Url` writes them; `undefined` for every other text, also for another one of the same bytes. */
export function fromExactBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64Url(text);
    return toBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
