/** Authorization: `protect` makes a server an OAuth 2.1 resource server, `protectWithApiKeys` admits API keys, `oauth` gets tokens for a client. */

export { apiKey, bearerToken, type GetToken, type TokenNeed } from './bearer-or-api-key.ts';
export type { ApiKeyOptions, BearerTokenOptions } from './bearer-or-api-key-options.ts';
export type { AssertionNeed, GetAssertion } from './client/grants/assertion.ts';
export type { RedirectSignIn } from './client/grants/authorization-code.ts';
export { clientCredentials } from './client/grants/client-credentials.ts';
export { deviceCode } from './client/grants/device-code.ts';
export { enterpriseManaged } from './client/grants/enterprise-managed.ts';
export type { Grant } from './client/grants/grant.ts';
export type {
  DeviceCode,
  DeviceCodeOptions,
  EnterpriseManagedOptions,
  WorkloadIdentityOptions,
} from './client/grants/options.ts';
export { workloadIdentity } from './client/grants/workload-identity.ts';
export { type OAuth, oauth } from './client/oauth.ts';
export type { OAuthOptions } from './client/options.ts';
export type { OAuthClient, TokenEndpointAuthMethod } from './client/registration/client.ts';
export type {
  ClientMetadata,
  ClientMetadataDocument,
  ClientMetadataDocumentOptions,
} from './client/registration/metadata.ts';
export { clientMetadataDocument } from './client/registration/metadata-document.ts';
export type { PreparedSignIn, SignIn } from './client/sign-in.ts';
export type { AuthStep, AuthStepName } from './client/steps.ts';
export type { Quirks } from './client/tokens/quirks.ts';
export { generateApiKey, type NewApiKey } from './resource/api-key.ts';
export type { ApiKey, ApiKeysOptions, FindApiKey } from './resource/api-key-options.ts';
export { protectWithApiKeys } from './resource/api-keys.ts';
export type { DpopMode, DpopOptions } from './resource/dpop/options.ts';
export type { IssuedToken, IssuerServer, OwnIssuer, ProtectedResource } from './resource/issuer-server.ts';
export type {
  IntrospectionOptions,
  IssuerOptions,
  ProtectOptions,
  VerifiedPrincipal,
  VerifyToken,
} from './resource/options.ts';
export { type Protection, protect } from './resource/protect.ts';
