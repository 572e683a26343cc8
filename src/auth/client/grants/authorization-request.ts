/** The authorization request of the code flow and its response: RFC 6749, 7636 and 9207. */
import * as oauth from 'oauth4webapi';
import type { OAuthClient } from '../registration/client.ts';
import { offlineAccess } from '../scopes.ts';
import type { StepFailure } from '../steps.ts';
import type { OAuthRefusal, Quirks } from '../tokens/quirks.ts';

/** What the response to a request is checked against. It is stored before the person is redirected. */
export interface SentRequest {
  readonly state: string;
  readonly verifier: string;
  /** The issuer that the metadata was validated for. */
  readonly issuer: string;
  readonly redirectUri: string;
}

export interface AuthorizationRequestOptions {
  readonly server: oauth.AuthorizationServer;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[] | undefined;
  readonly resource: string;
  readonly quirks: Quirks;
}

export const step = 'authorization';

/** What makes the code flow impossible at this server, if anything does. */
export function codeFlowProblem(server: oauth.AuthorizationServer): StepFailure | undefined {
  const url = server.authorization_endpoint ?? server.issuer;
  if (server.authorization_endpoint === undefined)
    return {
      step,
      url,
      found: 'The authorization server has no authorization_endpoint.',
      rule: 'RFC 8414, 2',
      hint: 'Use a grant that it supports.',
    };
  if (server.code_challenge_methods_supported?.includes('S256') === true) return undefined;
  return {
    step,
    url,
    found: 'The authorization server does not support PKCE with S256.',
    rule: 'MCP: code_challenge_methods_supported must list S256',
    hint: 'Turn PKCE on at the authorization server, and list S256 in its metadata. It is never left out.',
  };
}

/** The URL to open, and what its response is checked against. */
export async function authorizationRequest(
  options: AuthorizationRequestOptions,
): Promise<{ url: URL; sent: SentRequest }> {
  const { server, client, redirectUri, scopes, resource, quirks } = options;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const wanted = quirks.offlineAccess === 'omit' ? scopes?.filter((scope) => scope !== offlineAccess) : scopes;
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: wanted === undefined || wanted.length === 0 ? undefined : wanted.join(' '),
    resource: quirks.resource === 'omit' ? undefined : resource,
    // OpenID Connect Core, 11: without consent there is no refresh token.
    prompt: wanted?.includes(offlineAccess) ? 'consent' : undefined,
  };
  const url = new URL(server.authorization_endpoint ?? '');
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { url, sent: { state, verifier, issuer: server.issuer, redirectUri } };
}

export type AuthorizationResponse =
  | { readonly code: string }
  | { readonly refusal: OAuthRefusal }
  /** The response must not be used; nothing of it is shown. */
  | { readonly problem: string; readonly rule: string; readonly hint: string };

/** Checks `iss`, then `state`, and only then reads the code or the error. */
export function readAuthorizationResponse(
  server: oauth.AuthorizationServer,
  sent: SentRequest,
  { searchParams }: URL,
): AuthorizationResponse {
  const one = (name: string): string | undefined => {
    const all = searchParams.getAll(name);
    return all.length === 1 && all[0] !== '' ? all[0] : undefined;
  };
  const mixUp = {
    rule: 'RFC 9207, 2.4: iss must be the issuer, character by character',
    hint: 'The response may be an attack: do not repeat it before the authorization server was checked.',
  };
  const isSent = searchParams.has('iss');
  if (!isSent && server.authorization_response_iss_parameter_supported === true)
    return { problem: 'The response has no iss, which the authorization server announces.', ...mixUp };
  if (isSent && one('iss') !== sent.issuer)
    return { problem: 'The iss of the response is not the issuer that the request was for.', ...mixUp };
  if (one('state') !== sent.state)
    return {
      problem: 'The state of the response is not that of the request.',
      rule: 'RFC 6749, 10.12: state must be the one that was sent',
      hint: 'Sign in again, and use only the newest page.',
    };
  const error = one('error');
  if (error !== undefined) return { refusal: { error, description: one('error_description') ?? '' } };
  const code = one('code');
  return code === undefined
    ? { problem: 'The response has no code.', rule: 'RFC 6749, 4.1.2', hint: 'Sign in again.' }
    : { code };
}
