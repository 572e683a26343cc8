/** Reads the header `Authorization`: the scheme and the token (RFC 6750, 2.1; RFC 9449, 7.1). */

/** How a token is sent: alone, or with a proof of its key. */
export type Scheme = 'Bearer' | 'DPoP';

export interface Credentials {
  readonly scheme: Scheme;
  /** `undefined` if what follows the scheme is not one token. */
  readonly token: string | undefined;
}

const schemeAlone = /^(bearer|dpop)(?: |$)/i;
const withToken = /^(?:bearer|dpop) +([\w.~+/-]+=*)$/i;

/** `undefined` without the header, and for every other scheme. */
export function readCredentials(header: string | undefined): Credentials | undefined {
  const scheme = header === undefined ? undefined : schemeAlone.exec(header)?.[1];
  if (header === undefined || scheme === undefined) return undefined;
  return { scheme: scheme.length === 4 ? 'DPoP' : 'Bearer', token: withToken.exec(header)?.[1] };
}
