/** Cookies of a sign-in: they bind it to one browser. */
import type { ServerResponse } from 'node:http';

export interface CookieOptions {
  readonly maxAgeSeconds: number;
  /** Whether the issuer is on https; only then browsers accept the prefix that no other host can set. */
  readonly isSecure: boolean;
}

/** `__Host-`: neither a subdomain nor a page without TLS can set such a cookie. */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** The value of a cookie; `undefined` also where there are two of the name, since one of them is not ours. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '').split(';').flatMap((pair) => {
    const [key, value] = pair.trim().split('=', 2);
    return key === name && value !== undefined ? [value] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

export function setCookie(
  response: ServerResponse,
  name: string,
  value: string,
  { maxAgeSeconds, isSecure }: CookieOptions,
): void {
  const secure = isSecure ? '; Secure' : '';
  response.appendHeader(
    'set-cookie',
    `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`,
  );
}
