/** The paths of an authorization server: for clients those that MCP has as defaults, and the pages of a sign-in. */

export const paths = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  jwks: '/jwks',
  metadata: '/.well-known/oauth-authorization-server',
  openIdMetadata: '/.well-known/openid-configuration',
  consent: '/consent',
  callback: '/callback',
  account: '/account',
} as const;

const exact: ReadonlySet<string> = new Set(Object.values(paths).filter((path) => path !== paths.consent));

/** Whether it is one of them, or a page of a sign-in. */
export const isOwnPath = (path: string): boolean => exact.has(path) || isSignInPage(path) || isEndOfSignIn(path);

/** `/authorize/UID`, where the engine ends a sign-in. With anything else below it, `/authorize/` too, it would begin one. */
export const isEndOfSignIn = (path: string): boolean => /^\/authorize\/[\w-]+$/.test(path);

export const isSignInPage = (path: string): boolean => path.startsWith(`${paths.consent}/`);
