/** Authorization: `protect` makes a server an OAuth 2.1 resource server, `apiKeys` admits API keys. */

export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
  ChallengeDetails,
  PublicDocument,
} from '../server/ports/authenticate.ts';
export type { Principal, PrincipalDetails } from '../server/ports/principal.ts';
export type { MaybePromise } from '../store/maybe-promise.ts';
export type { OnceStore } from '../store/once-store.ts';
export { createApiKey, type NewApiKey } from './resource/api-keys/api-key.ts';
export { apiKeys } from './resource/api-keys/api-keys.ts';
export type { ApiKey, ApiKeysOptions, FindApiKey } from './resource/api-keys/options.ts';
export type { DpopMode, DpopOptions } from './resource/dpop/options.ts';
export type {
  IntrospectionOptions,
  IssuerOptions,
  ProtectOptions,
  TokenLimits,
  VerifiedPrincipal,
  VerifyToken,
} from './resource/options.ts';
export { type Protection, protect } from './resource/protect.ts';
