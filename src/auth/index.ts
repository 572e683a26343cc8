/** Authorization: `protect` makes a server an OAuth 2.1 resource server. */

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
export type { IssuerOptions, ProtectOptions, TokenLimits, VerifyToken } from './resource/options.ts';
export { type Protection, protect } from './resource/protect.ts';
