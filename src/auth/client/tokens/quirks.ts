/** Authorization servers that contradict the specification: what is changed for one of them, after it refused the request as specified. */
import type { CredentialStore } from '../../../store/credential-store.ts';
import { quirksKey, readRecord, replaceRecord } from '../records.ts';
import type { TokenEndpointAuthMethod } from '../registration/client.ts';
import { offlineAccess } from '../scopes.ts';

/**
 * How requests to one authorization server differ from the specification. PKCE, `iss`, `state` and TLS never do.
 * @area credentials
 * @of `oauth`
 */
export interface Quirks {
  /**
   * `resource` is not sent.
   * @default off
   */
  readonly resource?: 'omit';
  /**
   * `scope` is sent with a refresh, as it was requested.
   * @default off
   */
  readonly refreshScope?: 'requested';
  /**
   * `offline_access` is not requested.
   * @default off
   */
  readonly offlineAccess?: 'omit';
  /**
   * How the client authenticates at the token endpoint.
   * @default off
   */
  readonly clientAuth?: TokenEndpointAuthMethod;
}

/** A refusal of the authorization server. */
export interface OAuthRefusal {
  /** 400 or 401 of the token endpoint; absent for a redirect. */
  readonly status?: number;
  readonly error: string;
  readonly description: string;
}

/** The request that failed. */
export interface TokenAttempt {
  readonly quirks: Quirks;
  readonly isRefresh: boolean;
  readonly scopes: readonly string[] | undefined;
  /** Methods of client authentication that were not tried. */
  readonly otherMethods: readonly TokenEndpointAuthMethod[];
}

/** The next change to try, if the error is one that it is known to fix. */
export function nextQuirk({ status, error, description }: OAuthRefusal, attempt: TokenAttempt): Quirks | undefined {
  const { quirks, isRefresh, scopes, otherMethods } = attempt;
  if (error === 'invalid_grant') return undefined;
  const says = (code: string): boolean => description.includes(code);
  if (quirks.resource === undefined && (error === 'invalid_target' || says('AADSTS9010010')))
    return { ...quirks, resource: 'omit' };
  const namesScope = error === 'invalid_scope' || (error === 'invalid_request' && /\bscopes?\b/i.test(description));
  if (isRefresh && quirks.refreshScope === undefined && (namesScope || says('AADSTS90009')))
    return { ...quirks, refreshScope: 'requested' };
  if (!isRefresh && quirks.offlineAccess === undefined && error === 'invalid_scope' && scopes?.includes(offlineAccess))
    return { ...quirks, offlineAccess: 'omit' };
  const [other] = otherMethods;
  if (quirks.clientAuth === undefined && status === 401 && error === 'invalid_client' && other !== undefined)
    return { ...quirks, clientAuth: other };
  return undefined;
}

/** What has changed, as a sentence. */
export function quirkText(before: Quirks, { resource, refreshScope, offlineAccess, clientAuth }: Quirks): string {
  if (resource !== before.resource) return 'resource is not sent';
  if (refreshScope !== before.refreshScope) return 'scope is sent with the refresh';
  if (offlineAccess !== before.offlineAccess) return 'offline_access is not requested';
  return `the client authenticates with ${clientAuth}`;
}

/**
 * How long a quirk of an authorization server is remembered.
 * @limit credentials
 * @beyond the request is sent as specified again
 */
const rememberedMs = 30 * 24 * 60 * 60_000;

interface StoredQuirks {
  readonly quirks: Quirks;
  readonly until: number;
}

export async function storedQuirks(store: CredentialStore, issuer: string): Promise<Quirks> {
  const stored = await readRecord<StoredQuirks>(store, quirksKey(issuer));
  return stored !== undefined && stored.until > Date.now() ? stored.quirks : {};
}

export const storeQuirks = (store: CredentialStore, issuer: string, quirks: Quirks): Promise<void> =>
  replaceRecord(store, quirksKey(issuer), () => ({ quirks, until: Date.now() + rememberedMs }));
