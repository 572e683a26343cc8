/** The principal of a request: who sends it, and what it may do. */

import { type Rule } from '../lib/options/option-rules.ts';
import { isFilledString, isRecord } from '../lib/values/is.ts';

/** The sender of a request, as `authenticate` returns it. */
export interface PrincipalDetails {
  /** Who vouches for the subject, such as the URL of an authorization server. */
  readonly issuer: string;
  /** The user or program, as the issuer names it. Never a token. */
  readonly subject: string;
  /** The OAuth client that acts for the subject. */
  readonly client?: string | undefined;
  /** What this request may do. Default none. */
  readonly scopes?: readonly string[];
  /** The roles of the subject. Default none. */
  readonly roles?: readonly string[];
  /** Other facts for handlers. Default none. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** When the credential of this request expires, in milliseconds as `Date.now()` has them. Then the request gets 401. */
  readonly expiresAt?: number | undefined;
}

/**
 * Who sends a request. Sessions, streams, request states and idempotency keys belong to its `key`; the other fields
 * belong to this request.
 */
export interface Principal {
  /** Names the principal: issuer and subject as JSON, or the text that `authenticate` returned. */
  readonly key: string;
  /** Who vouches for the subject; empty where `authenticate` returned a text. */
  readonly issuer: string;
  /** The user or program, as the issuer names it. */
  readonly subject: string;
  /** The OAuth client that acts for the subject. */
  readonly client: string | undefined;
  /** What this request may do. */
  readonly scopes: readonly string[];
  /** The roles of the subject. */
  readonly roles: readonly string[];
  /** Other facts about the subject. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the credential of this request expires, in milliseconds as `Date.now()` has them. */
  readonly expiresAt: number | undefined;
}

const none: readonly string[] = Object.freeze([]);
const noClaims: Readonly<Record<string, unknown>> = Object.freeze({});

/** A class, so that `instanceof` recognises a principal that `authenticate` has cached: it is not checked again. */
class PrincipalRecord implements Principal {
  readonly key: string;
  readonly issuer: string;
  readonly subject: string;
  readonly client: string | undefined;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  readonly expiresAt: number | undefined;

  constructor(key: string, { issuer, subject, client, scopes, roles, claims, expiresAt }: PrincipalDetails) {
    this.key = key;
    this.issuer = issuer;
    this.subject = subject;
    this.client = client;
    this.scopes = scopes === undefined ? none : Object.freeze([...scopes]);
    this.roles = roles === undefined ? none : Object.freeze([...roles]);
    this.claims = claims === undefined ? noClaims : Object.freeze({ ...claims });
    this.expiresAt = expiresAt;
  }
}

/** A text is the key itself. Issuer and subject are joined as JSON: with a separator, two pairs could have one key. */
export function createPrincipal(details: string | PrincipalDetails): Principal {
  if (typeof details === 'string') return new PrincipalRecord(details, { issuer: '', subject: details });
  if (details instanceof PrincipalRecord) return details;
  return Object.freeze(new PrincipalRecord(JSON.stringify([details.issuer, details.subject]), details));
}

/** The problem with the details of a principal, if there is one. */
export function principalProblem(details: PrincipalDetails): string | undefined {
  if (details instanceof PrincipalRecord) return undefined;
  const { issuer, subject, client, scopes, roles, claims, expiresAt } = details;
  if (!isFilledString(issuer) || !isFilledString(subject)) return 'issuer and subject must be texts that are not empty';
  if (client !== undefined && !isFilledString(client)) return 'client must be a text that is not empty';
  if (!isTexts(scopes)) return 'scopes must be a list of texts';
  if (!isTexts(roles)) return 'roles must be a list of texts';
  if (claims !== undefined && (typeof claims !== 'object' || claims === null)) return 'claims must be an object';
  if (expiresAt === undefined) return undefined;
  if (!Number.isFinite(expiresAt)) return 'expiresAt must be a number';
  return isInSeconds(expiresAt)
    ? 'expiresAt must be in milliseconds, as Date.now() has them, not in seconds'
    : undefined;
}

/** The `exp` of a token of the years 2001 to 5138; as milliseconds it would be of the year 1970, or some years later. */
const isInSeconds = (moment: number): boolean => moment >= 1e9 && moment < 1e11;

/** The option `principal` of a connection. */
export const principalRule: Rule = {
  holds: (value) => isFilledString(value) || (isRecord(value) && principalProblem(value as never) === undefined),
  must: 'be a text, or an object with issuer and subject',
};

const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
