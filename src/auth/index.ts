/** Authorization: `protect` makes a server an OAuth 2.1 resource server, `protectWithApiKeys` admits API keys, `oauth` gets tokens for a client. */

export type { AssertionNeed, GetAssertion } from './client/grants/assertion.ts';
export type { RedirectSignIn } from './client/grants/authorization-code.ts';
export { clientCredentials } from './client/grants/client-credentials.ts';
export { type DeviceCode, type DeviceCodeOptions, deviceCode } from './client/grants/device-code.ts';
export { type EnterpriseManagedOptions, enterpriseManaged } from './client/grants/enterprise-managed.ts';
export type { Grant } from './client/grants/grant.ts';
export { type WorkloadIdentityOptions, workloadIdentity } from './client/grants/workload-identity.ts';
export { type OAuth, oauth } from './client/oauth.ts';
export type { OAuthOptions } from './client/options.ts';
export type { OAuthClient, TokenEndpointAuthMethod } from './client/registration/client.ts';
export type { ClientMetadata, ClientMetadataDocument } from './client/registration/metadata.ts';
export {
  type ClientMetadataDocumentOptions,
  clientMetadataDocument,
} from './client/registration/metadata-document.ts';
export type { PreparedSignIn, SignIn } from './client/sign-in.ts';
export type { AuthStep, AuthStepName } from './client/steps.ts';
export type { Quirks } from './client/tokens/quirks.ts';
export {
  type ApiKeyOptions,
  apiKey,
  type BearerTokenOptions,
  bearerToken,
  type GetToken,
  type TokenNeed,
} from './given-credentials.ts';
export { generateApiKey, type NewApiKey } from './resource/api-key.ts';
export type { ApiKey, ApiKeysOptions, FindApiKey } from './resource/api-key-options.ts';
export { protectWithApiKeys } from './resource/api-keys.ts';
export type { DpopMode, DpopOptions } from './resource/dpop/options.ts';
export type {
  IntrospectionOptions,
  IssuerOptions,
  ProtectOptions,
  VerifiedPrincipal,
  VerifyToken,
} from './resource/options.ts';
export { type Protection, protect } from './resource/protect.ts';
