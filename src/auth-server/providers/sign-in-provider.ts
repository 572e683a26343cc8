/** What a sign-in provider is: data that says where users sign in, with which client, and what of their account is used. */

import { isSecureUrl } from '../../auth/secure-url.ts';
import type { Rule } from '../../lib/options/option-rules.ts';
import { isFilledString, isRecord } from '../../lib/values/is.ts';

/** What the provider sent about a user, as `user` of a `SignInProvider` gets it. */
export interface ProviderSignIn {
  /** The validated claims of the ID token; none where the provider has no OpenID Connect. */
  readonly idToken?: Readonly<Record<string, unknown>>;
  /** The scopes that the provider granted. */
  readonly scopes: readonly string[];
  /** Gets JSON from the API of the provider with the token of the user: `await api('https://api.github.com/user')`. */
  api(url: string): Promise<unknown>;
}

/** A user of the provider, as this server knows them. */
export interface ProviderUser {
  /** Identifies the user at the provider for ever: never a name or an email address, which may be given to another. */
  readonly subject: string;
  /** Their name, for pages. */
  readonly name?: string;
  /** Their roles, at most 100. */
  readonly roles?: readonly string[];
  /** What else tools may read, such as `email`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Where a provider without OpenID Connect is. */
export interface ProviderEndpoints {
  /** Where users sign in. */
  readonly authorization: string;
  /** Where codes are exchanged for tokens. */
  readonly token: string;
  /** Where tokens are revoked (RFC 7009). */
  readonly revocation?: string;
}

/** Sentences that say where a setting is in the console of the provider. They end error messages. */
export interface ProviderSettingHints {
  /** Where callback addresses are registered. */
  readonly callback?: string;
  /** Where the client ID and its secret are. */
  readonly client?: string;
  /** How groups or roles are sent. */
  readonly groups?: string;
  /** How refresh tokens are enabled. */
  readonly refresh?: string;
  /** Who may use the client. */
  readonly access?: string;
}

/**
 * Where users sign in. `google()`, `github()`, `entra()`, `okta()` and `keycloak()` return one; write your own for any
 * other provider with OpenID Connect: `{ name: 'acme', issuer: 'https://login.acme.example', clientId, clientSecret }`.
 * @area auth-server
 * @of `authorizationServer`
 */
export interface SignInProvider {
  /**
   * A short name: users are `name:subject`, such as `github:583231`. Users with another name are other users.
   * @rule providerName
   */
  readonly name: string;
  /**
   * The name on pages and in errors.
   * @default computed `name`
   */
  readonly title?: string;
  /** The client ID that the provider gave you. */
  readonly clientId: string;
  /** Its secret. */
  readonly clientSecret: string;
  /**
   * The issuer of a provider with OpenID Connect. The rest is discovered.
   * @default off, `endpoints` and `user` are then required
   * @rule providerIssuer
   */
  readonly issuer?: string;
  /**
   * Where a provider without OpenID Connect is.
   * @default computed from `issuer`
   * @rule providerEndpoints
   */
  readonly endpoints?: ProviderEndpoints;
  /**
   * The scopes that users are asked for at the provider.
   * @default computed `openid profile email`, and `offline_access` if the provider lists it
   * @rule providerScopes
   */
  readonly scopes?: readonly string[];
  /**
   * More parameters of the authorization request, such as `{ prompt: 'select_account' }`.
   * @default off
   * @rule providerParameters
   */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Reads the user. Throw a `TenonError` with the code `forbidden` for a user that may not sign in: they see its message.
   * @default computed from the ID token, and the userinfo endpoint for what it lacks: `sub`, `name`, `groups` or else `roles`, `email`
   */
  readonly user?: (found: ProviderSignIn) => Promise<ProviderUser> | ProviderUser;
  /**
   * Which group of the provider gives which role here: `{ 'mcp-admins': 'admin' }`. Groups that are not listed give none.
   * @default off, groups are the roles
   * @rule rolesByGroup
   */
  readonly roles?: Readonly<Record<string, string>>;
  /**
   * Where its settings are, for error messages.
   * @default off
   * @rule settingHints
   */
  readonly settings?: ProviderSettingHints;
}

const everyText = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isFilledString);

/** Parameters that belong to one sign-in or to other options. */
const reserved = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);

export const providerName: Rule = {
  holds: (value) => typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value),
  must: "be up to 32 lower-case letters, digits and hyphens, such as 'github'",
};

/** Entra has issuers that are templates: any tenant of the world could sign in, and no token has them as `iss`. */
const isTemplate = (issuer: string): boolean =>
  issuer.includes('{') || /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/.test(issuer);

export const providerIssuer: Rule = {
  holds: (value) => isSecureUrl(value) && !/[?#]/.test(value) && !isTemplate(value),
  must: 'be the https issuer of one tenant, without query and fragment, as its ID tokens have it in iss',
};

export const providerEndpoints: Rule = {
  holds: (value) =>
    isRecord(value) &&
    isSecureUrl(value.authorization) &&
    isSecureUrl(value.token) &&
    (value.revocation === undefined || isSecureUrl(value.revocation)),
  must: 'be { authorization, token, revocation } with https URLs',
};

export const providerScopes: Rule = {
  holds: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)),
  must: "be a list of scopes such as ['openid', 'profile']",
};

export const providerParameters: Rule = {
  holds: (value) => everyText(value) && Object.keys(value as object).every((name) => !reserved.has(name)),
  must: `be an object of texts, without ${[...reserved].join(', ')}`,
};

export const rolesByGroup: Rule = {
  holds: (value) => everyText(value) && Object.keys(value as object).length > 0,
  must: "be an object of roles by group, such as { 'mcp-admins': 'admin' }",
};

export const settingHints: Rule = { holds: everyText, must: 'be an object of sentences' };
