/** Which claims of a user are in which token: all of them, except where a quirk leaves some out. */
import type { AccessToken, Context } from 'oidc-provider';
import type { HasQuirk } from './quirks.ts';

type Claims = Readonly<Record<string, unknown>>;
type Users = Readonly<Record<string, Claims>>;

/** Groups that one token may have at Entra. */
const maxGroups = 200;

export const claimsOfUser = (users: Users, user: string | undefined): Claims | undefined =>
  user !== undefined && Object.hasOwn(users, user) ? users[user] : undefined;

/** The names of all claims, which the scope `openid` gives. */
const claimNames = (users: Users): string[] => [
  ...new Set(['sub', ...Object.values(users).flatMap((claims) => Object.keys(claims))]),
];

/** The part of the configuration that is about users. */
export const accounts = (users: Users, has: HasQuirk): Readonly<Record<string, unknown>> => ({
  findAccount: (_context: Context, user: string) => {
    const claims = claimsOfUser(users, user);
    const visible = (use: 'id_token' | 'userinfo') => ({ ...visibleClaims(claims ?? {}, use, has), sub: user });
    return claims && { accountId: user, claims: visible };
  },
  claims: { openid: claimNames(users) },
  // ID tokens have the claims too: a server that signs users in here needs no second request.
  conformIdTokenClaims: false,
  extraTokenClaims: (_context: Context, token: AccessToken) => {
    const claims = claimsOfUser(users, token.accountId);
    return claims && visibleClaims(claims, 'access_token', has);
  },
});

/** `use` is where the claims go. */
function visibleClaims(claims: Claims, use: 'id_token' | 'userinfo' | 'access_token', has: HasQuirk): Claims {
  if (use !== 'id_token' && has('claims-in-id-token-only')) return {};
  if (has('no-groups')) return without(claims, ['groups', 'roles']);
  const { groups } = claims;
  if (has('group-overage') && Array.isArray(groups) && groups.length > maxGroups)
    return {
      ...without(claims, ['groups']),
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example/me/getMemberObjects' } },
    };
  return claims;
}

const without = (claims: Claims, names: readonly string[]): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
