/** The session of a user in one browser: for the account page, and so that a consent is remembered. It never replaces the sign-in at the provider. */
import { randomBytes } from 'node:crypto';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { type Account, isValid } from '../storage/account.ts';
import { cookieIn, cookieName, setCookie } from './cookies.ts';

/**
 * How long a browser remembers who signed in: for the account page, and with `consent: 'remember'`.
 * @limit auth-server
 * @default 8 h
 * @beyond the user signs in again, and is asked again
 */
const sessionSeconds = 8 * 60 * 60;

/**
 * Consents that one browser remembers.
 * @limit auth-server
 * @beyond for the oldest the user is asked again
 */
const maxConsents = 20;

/** What the user allowed in this browser, on the page. */
export interface GivenConsent {
  readonly client: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly givenAt: number;
}

/** A session that is valid. */
export interface UserSession {
  readonly id: string;
  readonly account: Account;
  /** Those that still count. */
  readonly consents: readonly GivenConsent[];
}

interface StoredSession {
  readonly subject: string;
  readonly startedAt: number;
  readonly consents: readonly GivenConsent[];
}

const kind = 'user-session';

const nameAt = (issuer: string): string => cookieName('tenon-user', issuer.startsWith('https:'));

/** A session with another ID, and with the consents of the one before if that was of the same user. */
export async function startSession(
  parts: Parts,
  request: ReceivedRequest,
  subject: string,
  given?: GivenConsent,
): Promise<void> {
  const { rows, issuer } = parts;
  const before = await sessionOf(parts, request);
  if (before !== undefined) await rows.delete(kind, before.id);
  const known = before?.account.subject === subject ? before.consents : [];
  const consents = [...known, ...(given === undefined ? [] : [given])].slice(-maxConsents);
  const id = randomBytes(32).toString('base64url');
  const stored: StoredSession = { subject, startedAt: Date.now(), consents };
  await rows.write(kind, id, stored, { expiresInMs: sessionSeconds * 1000 });
  setCookie(request.response, nameAt(issuer), id, {
    maxAgeSeconds: sessionSeconds,
    isSecure: issuer.startsWith('https:'),
  });
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
  if (account === undefined || stored.startedAt < account.notBefore) return undefined;
  // A later sign-in starts the session again, not the time of a consent.
  const isRemembered = ({ client, givenAt }: GivenConsent): boolean =>
    Date.now() - givenAt < sessionSeconds * 1000 && isValid(account, client, givenAt / 1000);
  return { id, account, consents: stored.consents.filter(isRemembered) };
}

export async function endSession(
  { rows, issuer }: Parts,
  { response }: ReceivedRequest,
  { id }: UserSession,
): Promise<void> {
  await rows.delete(kind, id);
  setCookie(response, nameAt(issuer), '', { maxAgeSeconds: 0, isSecure: issuer.startsWith('https:') });
}
