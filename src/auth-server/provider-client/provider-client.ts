/** What the authorization server asks of a sign-in provider, as types. */
import type { ProviderUser } from '../providers/sign-in-provider.ts';

/** Tokens of the provider. They stay on the server. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  readonly scopes: readonly string[];
  /** `sub` of the ID token, which later ones are compared with. */
  readonly idTokenSubject?: string;
}

/** What is stored between the redirect to the provider and its callback. */
export interface ProviderPending {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A user who signed in at the provider. */
export interface SignedIn {
  readonly user: ProviderUser;
  readonly tokens: ProviderTokens;
  /** Settings that are probably wrong although the sign-in succeeded, one sentence each; for the operator. */
  readonly warnings?: readonly string[];
}

/** Methods reject with a `ProviderError`. */
export interface ProviderClient {
  /** The scopes that users are asked for there. Never rejects. */
  scopes(): Promise<readonly string[]>;
  /** Where to send the browser, and what to store until it comes back. */
  begin(): Promise<{ readonly url: URL; readonly pending: ProviderPending }>;
  /** Exchanges the code of the callback. */
  complete(callback: URL, pending: ProviderPending): Promise<SignedIn>;
  /** Whether the user is still allowed at the provider: refreshes, or reads the user again. `revoked`, if not. */
  check(signedIn: SignedIn): Promise<SignedIn>;
  /** New tokens. The old refresh token remains where none is sent. */
  refresh(tokens: ProviderTokens): Promise<ProviderTokens>;
  /** Revokes the tokens, where the provider has an endpoint for it. */
  revoke(tokens: ProviderTokens): Promise<void>;
  /** What is wrong with the settings, as far as the provider shows it without a user. */
  findProblems(): Promise<readonly ProviderProblem[]>;
}

/** A wrong setting. */
export interface ProviderProblem {
  /** Which one; `request`: the scopes or parameters that users are sent with. */
  readonly setting: 'provider' | 'issuer' | 'client' | 'callback' | 'request';
  /** What is wrong and what to do, in a sentence or two. */
  readonly text: string;
}

export interface ProviderClientSettings {
  /** Where the provider sends browsers back to: `https://mcp.example.com/callback`. */
  readonly callbackUrl: string;
  readonly timeoutMs: number;
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  readonly now?: () => number;
}
