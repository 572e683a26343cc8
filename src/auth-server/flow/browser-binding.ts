/** Binds a sign-in to the browser that allowed it: what the provider sends back counts in this browser alone. */
import { createHash, randomBytes } from 'node:crypto';
import type { ReceivedRequest } from '../engine/received-request.ts';
import { isSame } from '../secrets.ts';
import { cookieIn, cookieName, setCookie } from './cookies.ts';

/**
 * How long a user may take at the provider.
 * @limit auth-server
 * @default 10 min
 * @beyond the user starts again at the client
 */
export const atProviderSeconds = 10 * 60;

const digestOf = (value: string): string => createHash('sha256').update(value).digest('base64url');

const nameOf = (uid: string, issuer: string): string =>
  cookieName(`tenon-flow-${uid.slice(0, 8)}`, issuer.startsWith('https:'));

/** Sets the cookie, and returns the digest to store. A second tab of the same sign-in has the same value: both work. */
export function bindBrowser({ headers, response }: ReceivedRequest, uid: string, issuer: string): string {
  const name = nameOf(uid, issuer);
  const known = cookieIn(headers.cookie, name);
  const value = known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url');
  setCookie(response, name, value, { maxAgeSeconds: atProviderSeconds, isSecure: issuer.startsWith('https:') });
  return digestOf(value);
}

/** Whether the request comes from the browser that was bound. */
export function isBoundBrowser({ headers }: ReceivedRequest, uid: string, issuer: string, digest: string): boolean {
  const value = cookieIn(headers.cookie, nameOf(uid, issuer));
  return value !== undefined && isSame(digestOf(value), digest);
}

export function unbindBrowser({ response }: ReceivedRequest, uid: string, issuer: string): void {
  setCookie(response, nameOf(uid, issuer), '', { maxAgeSeconds: 0, isSecure: issuer.startsWith('https:') });
}
