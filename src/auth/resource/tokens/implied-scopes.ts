/** Scopes that include others: a token with the broader one has the narrower ones as well. */
import { createPrincipal, type Principal } from '../../../ports/principal.ts';

export type ImpliedScopes = Readonly<Record<string, readonly string[]>>;

/** The principal with all scopes that its own include, directly or through others. */
export function withImplied(principal: Principal, implied: ImpliedScopes): Principal {
  const all = new Set(principal.scopes);
  // A set visits what is added meanwhile, each scope once: a circle ends.
  for (const scope of all)
    if (Object.hasOwn(implied, scope)) for (const narrower of implied[scope] ?? []) all.add(narrower);
  if (all.size === principal.scopes.length) return principal;
  const { issuer, subject, client, roles, claims, expiresAt } = principal;
  return createPrincipal({ issuer, subject, client, roles, claims, expiresAt, scopes: [...all] });
}
