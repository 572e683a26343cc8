/** An authorization server whose users sign in at Google, GitHub, Entra, Okta, Keycloak or another provider. */
export type { PageTexts } from '../auth-pages/index.ts';
export { type AuthorizationServer, authorizationServer } from './authorization-server.ts';
export type { KnownClient } from './clients/known-client.ts';
export type { AuthorizationServerEvent, AuthorizationServerEventType } from './events.ts';
export type {
  AllowedClients,
  AuthorizationLifetimes,
  AuthorizationServerOptions,
  RequestingClient,
} from './options.ts';
export type { ProviderProblem } from './provider-client/provider-client.ts';
export type { ProviderToken } from './provider-token.ts';
export { type EntraOptions, entra } from './providers/entra.ts';
export { type GitHubOptions, github } from './providers/github.ts';
export { type GoogleOptions, google } from './providers/google.ts';
export { type KeycloakOptions, keycloak } from './providers/keycloak.ts';
export { type OktaOptions, okta } from './providers/okta.ts';
export type { ProviderClientOptions } from './providers/provider-options.ts';
export type {
  ProviderEndpoints,
  ProviderSettingHints,
  ProviderSignIn,
  ProviderUser,
  SignInProvider,
} from './providers/sign-in-provider.ts';
