/** Which scopes are requested. */

export const offlineAccess = 'offline_access';

export const scopesIn = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : [...new Set(text.split(' ').filter((scope) => scope !== ''))];

export interface ScopeSources {
  /** `scope` of the challenge, which is what the current operation needs. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly supported: readonly string[] | undefined;
  /** Requested before: they are requested again, so that nothing that worked stops working. */
  readonly before: readonly string[] | undefined;
  /** `scopes` of the options. */
  readonly configured: readonly string[] | undefined;
  /** Whether the authorization server lists `offline_access`, and the grant has refresh tokens. */
  readonly offline: boolean;
}

/** The scopes to request; nothing leaves the choice to the authorization server. */
export function selectScopes(sources: ScopeSources): readonly string[] | undefined {
  const { challenged, supported, before, configured, offline } = sources;
  const first = configured ?? challenged ?? supported;
  const all = new Set([...(before ?? []), ...(first ?? []), ...(challenged ?? [])]);
  all.delete(offlineAccess);
  if (all.size === 0) return undefined;
  return offline ? [...all, offlineAccess] : [...all];
}
