/** The session of a user in one browser: for the account page, and so that a consent is remembered. It never replaces the sign-in at the provider. */
import { randomBytes } from 'node:crypto';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import type { Account } from '../storage/account.ts';
import { cookieIn, cookieName, setCookie } from './cookies.ts';

/**
 * How long a browser remembers who signed in: for the account page, and with `consent: 'remember'`.
 * @limit auth-server
 * @default 8 h
 * @beyond the user signs in again, and is asked again
 */
const sessionSeconds = 8 * 60 * 60;

/** A session that is valid. */
export interface UserSession {
  readonly id: string;
  readonly account: Account;
}

interface StoredSession {
  readonly subject: string;
  readonly startedAt: number;
}

const kind = 'user-session';

const nameAt = (issuer: string): string => cookieName('tenon-user', issuer.startsWith('https:'));

export async function startSession(
  { rows, issuer }: Parts,
  { response }: ReceivedRequest,
  subject: string,
): Promise<void> {
  const id = randomBytes(32).toString('base64url');
  const stored: StoredSession = { subject, startedAt: Date.now() };
  await rows.write(kind, id, stored, { expiresInMs: sessionSeconds * 1000 });
  setCookie(response, nameAt(issuer), id, { maxAgeSeconds: sessionSeconds, isSecure: issuer.startsWith('https:') });
}

/** The session of a browser, unless it ended, or the access of the user was revoked since. */
export async function sessionOf(
  { rows, accounts, issuer }: Parts,
  { headers }: ReceivedRequest,
): Promise<UserSession | undefined> {
  const id = cookieIn(headers.cookie, nameAt(issuer));
  const stored = id === undefined ? undefined : (await rows.read<StoredSession>(kind, id))?.value;
  if (id === undefined || stored === undefined) return undefined;
  const account = await accounts.read(stored.subject);
  return account === undefined || stored.startedAt < account.notBefore ? undefined : { id, account };
}

export async function endSession(
  { rows, issuer }: Parts,
  { response }: ReceivedRequest,
  { id }: UserSession,
): Promise<void> {
  await rows.delete(kind, id);
  setCookie(response, nameAt(issuer), '', { maxAgeSeconds: 0, isSecure: issuer.startsWith('https:') });
}
