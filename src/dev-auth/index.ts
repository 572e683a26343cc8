/** A development authorization server: `startDevAuthServer`. Not for production. */
export type { DevAuthEvent } from './events.ts';
export type { DevAuthClient, DevAuthLifetimes, DevAuthOptions, PublicKeys, TrustedIssuer } from './options.ts';
export type { DevAuthQuirk } from './quirks.ts';
export { type DevAuthServer, startDevAuthServer } from './start.ts';
export { signInAtDevAuth, type VisitOptions } from './visitor.ts';
