/** Reads a user from the claims of an ID token: the default mapping, and parts of it for providers that differ. */
import { isFilledString } from '../../lib/values/is.ts';
import type { ProviderSignIn, ProviderUser } from './sign-in-provider.ts';

/**
 * Roles of one user.
 * @limit auth-server
 * @beyond the others are left out
 */
export const maxRoles = 100;

/** Claims that tools may read by default. */
const readable = ['email', 'email_verified', 'preferred_username'] as const;

type Claims = Readonly<Record<string, unknown>>;

/** The user of an ID token: `sub`, `name`, `groups` or else `roles`, and the email address. */
export function defaultUser({ idToken = {} }: ProviderSignIn): ProviderUser {
  const name = nameIn(idToken);
  const claims = Object.fromEntries(
    readable.flatMap((claim) => (idToken[claim] === undefined ? [] : [[claim, idToken[claim]]])),
  );
  return {
    subject: String(idToken.sub ?? ''),
    ...(name !== undefined && { name }),
    roles: rolesIn(idToken),
    claims,
  };
}

export const nameIn = ({ name, preferred_username: username, email }: Claims): string | undefined =>
  [name, username, email].find(isFilledString);

const rolesIn = ({ groups, roles }: Claims): readonly string[] => textsIn(groups ?? roles).slice(0, maxRoles);

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isFilledString) : []);

/** Whether the provider sent a list of groups or roles at all, an empty one included. */
export const hasRoles = ({ groups, roles }: Claims): boolean => Array.isArray(groups) || Array.isArray(roles);

/** Whether the user has more groups than the provider puts into a token: it left all of them out. */
export const hasGroupOverage = ({ _claim_names: names, roles, hasgroups }: Claims): boolean =>
  !Array.isArray(roles) &&
  (hasgroups === true || (typeof names === 'object' && names !== null && Object.hasOwn(names, 'groups')));
