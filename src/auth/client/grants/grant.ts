/** The interface of a grant: one way to get tokens from an authorization server. */
import type { AuthorizationServer, TokenEndpointResponse } from 'oauth4webapi';
import type { CredentialStore } from '../../../store/credential-store.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import type { OAuthClient } from '../registration/client.ts';
import type { Steps } from '../steps.ts';
import type { TokenEndpoint, TokenRequest } from '../tokens/token-request.ts';

/** A way to get tokens, for the option `grant` of `oauth`: what `clientCredentials()`, `deviceCode()` and others return. */
export interface Grant {
  /** The `grant_types` that the client is registered with. */
  readonly grantTypes: readonly string[];
}

/** What a grant does. Users see none of it. */
export interface TokenGrant extends Grant {
  /**
   * Whether a person signs in. Then `offline_access` is requested where the server lists it, and only a refresh token
   * renews tokens ahead of time.
   */
  readonly asksPerson: boolean;
  /** Whether only a client with a secret or a key gets tokens (OAuth 2.1, 4.2). Default false. */
  readonly needsSecret?: boolean;
  /** Rejects with the error of the step that failed. */
  obtain(context: GrantContext): Promise<Granted>;
}

/** Hides what users do not see. */
export const asGrant = (grant: TokenGrant): Grant => grant;

/** Tokens, and the client that they were issued to. */
export interface Granted {
  readonly client: OAuthClient;
  readonly tokens: TokenEndpointResponse;
  /** The scopes that were requested in the end. */
  readonly scopes: readonly string[] | undefined;
}

/** What was found about a server, and what a grant may use. */
export interface GrantContext {
  readonly server: AuthorizationServer;
  /** The URL of the MCP server. */
  readonly serverUrl: string;
  /** The identifier of the resource, byte for byte. */
  readonly resource: string;
  /** The scopes to request; absent leaves the choice to the server. */
  readonly scopes: readonly string[] | undefined;
  readonly endpoint: TokenEndpoint;
  readonly store: CredentialStore;
  readonly fetch: GuardedFetch;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** How long a person may take. */
  readonly signInMs: number;
  /** The client to use; it is registered if necessary. */
  client(redirectUris: readonly string[]): Promise<OAuthClient>;
  requestToken(client: OAuthClient, request: TokenRequest): Promise<TokenEndpointResponse>;
}
