/** Authorization: `protect` makes a server an OAuth 2.1 resource server; `bearerToken` and `apiKey` are credentials of a client. */

export type {
  AuthHeaders,
  AuthRefusal,
  AuthRequestInfo,
  ClientAuth,
  ServerAuth,
} from '../client/http/port/client-auth.ts';
export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
} from '../server/http/admission/authentication.ts';
export type { PublicDocument } from '../server/http/admission/public-documents.ts';
export type { Principal, PrincipalDetails } from '../server/ports/principal.ts';
export {
  type ApiKeyOptions,
  apiKey,
  type BearerTokenOptions,
  bearerToken,
  type GetToken,
  type TokenNeed,
} from './given-credentials.ts';
export type { IssuerOptions, ProtectOptions, TokenLimits, VerifyToken } from './resource/options.ts';
export { type Protection, protect } from './resource/protect.ts';
