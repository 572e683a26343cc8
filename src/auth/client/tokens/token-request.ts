/** Requests tokens from the token endpoint, and tries one change where the server contradicts the specification. */
import * as oauth from 'oauth4webapi';
import type { CredentialStore } from '../../../store/credential-store.ts';
import type { Discovery } from '../discovery/documents.ts';
import { objectIn } from '../guarded-fetch.ts';
import { authenticationOf, methodsOf, type OAuthClient } from '../registration/client.ts';
import { nextQuirk, type OAuthRefusal, type Quirks, quirkText, storeQuirks } from './quirks.ts';

/** One request for tokens, without client and resource. */
export interface TokenRequest {
  readonly step: 'token' | 'refresh';
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly scopes: readonly string[] | undefined;
  /** The rule that the step shows. */
  readonly rule: string;
  /** Whether `resource` is one of its parameters. Default true. */
  readonly hasResource?: boolean;
  /** Whether a change is tried when it is refused. Default true; false for assertions. */
  readonly isAdaptable?: boolean;
  /** Waits, and resolves to whether the same request is sent again after this error: a device code is polled. */
  readonly isRepeated?: (error: string) => Promise<boolean>;
}

/** The token endpoint of one authorization server, for one resource. */
export interface TokenEndpoint extends Discovery {
  readonly server: oauth.AuthorizationServer;
  readonly resource: string;
  readonly store: CredentialStore;
  /** Replaced when a change was necessary. */
  quirks: Quirks;
  /** Binds the tokens to a key. */
  readonly dpop?: oauth.DPoPHandle | undefined;
}

/** What `details.error` of a failure is when the grant is no longer valid. */
export const invalidGrant = 'invalid_grant';

type Attempt =
  | { readonly tokens: oauth.TokenEndpointResponse }
  | { readonly refusal: OAuthRefusal & { status: number } };

/** Rejects with `authorization-failed`; `details.error` is the error of the server, if it answered with one. */
export async function requestToken(
  endpoint: TokenEndpoint,
  client: OAuthClient,
  request: TokenRequest,
): Promise<oauth.TokenEndpointResponse> {
  const { server, steps, store } = endpoint;
  const { step, rule, scopes } = request;
  const url = server.token_endpoint ?? '';
  const before = endpoint.quirks;
  const first = await attemptRepeatedly(endpoint, client, request);
  if ('tokens' in first) return first.tokens;
  const { refusal } = first;
  const isRefresh = step === 'refresh';
  const otherMethods = methodsOf(client, server).slice(1);
  const quirks =
    request.isAdaptable === false ? undefined : nextQuirk(refusal, { quirks: before, isRefresh, scopes, otherMethods });
  if (quirks === undefined) throw refused(endpoint, request, refusal);
  const next = `try again: ${quirkText(before, quirks)}`;
  steps.add({ step, url, status: refusal.status, found: foundText(refusal), rule, next });
  endpoint.quirks = quirks;
  const second = await attemptRepeatedly(endpoint, client, request);
  // A code that was used up by the first request is no reason to forget the change.
  const isFixed = 'tokens' in second || second.refusal.error === invalidGrant;
  if (isFixed) {
    await storeQuirks(store, server.issuer, quirks);
    steps.add({
      step: 'quirk',
      url: server.issuer,
      found: `It contradicts the specification: ${quirkText(before, quirks)}.`,
      rule: 'One change after the error that it is known to fix, remembered for 30 days',
      next: 'continue',
    });
  } else endpoint.quirks = before;
  if ('tokens' in second) return second.tokens;
  throw refused(endpoint, request, second.refusal);
}

/** A device code is polled, also after a change. */
async function attemptRepeatedly(
  endpoint: TokenEndpoint,
  client: OAuthClient,
  request: TokenRequest,
): Promise<Attempt> {
  for (;;) {
    const made = await attempt(endpoint, client, request);
    if ('tokens' in made || (await request.isRepeated?.(made.refusal.error)) !== true) return made;
  }
}

async function attempt(endpoint: TokenEndpoint, client: OAuthClient, request: TokenRequest): Promise<Attempt> {
  const { server, steps, signal, dpop } = endpoint;
  const { step, rule } = request;
  const url = server.token_endpoint ?? '';
  let response: Response;
  try {
    response = await send(endpoint, client, request);
    // The nonce of the response is used now.
    if (dpop !== undefined && !response.ok && (await objectIn(response.clone()))?.error === 'use_dpop_nonce') {
      const found = 'It wants a nonce in the DPoP proof.';
      steps.add({ step, url, status: response.status, found, rule: 'RFC 9449, 8', next: 'try again with the nonce' });
      response = await send(endpoint, client, request);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    const hint = 'Try again later. The stored credentials are unchanged.';
    throw steps.failure({ step, url, found: (error as Error).message, rule, hint, cause: error });
  }
  const { status } = response;
  if (!response.ok) return { refusal: await readRefusal(response, client, request) };
  try {
    const tokens = await oauth.processGenericTokenEndpointResponse(server, { client_id: client.clientId }, response);
    // No request could be sent with it, and that would look like a server that cannot be reached.
    if (!/^[\x20-\x7e]+$/.test(tokens.access_token))
      throw new Error('access_token has characters that no header can have');
    const scope = (tokens.scope ?? '') === '' ? '' : ` for ${tokens.scope}`;
    const found = `It issued a token of type ${tokens.token_type}${scope}${tokens.refresh_token === undefined ? '' : ', and a refresh token'}.`;
    steps.add({ step, url, status, found, rule, next: 'send it to the server' });
    return { tokens };
  } catch (error) {
    const found = `Its response is not valid: ${(error as Error).message}.`;
    throw steps.failure({
      step,
      url,
      status,
      found,
      rule,
      hint: 'Report it to the provider of the authorization server.',
    });
  }
}

function send(endpoint: TokenEndpoint, client: OAuthClient, request: TokenRequest): Promise<Response> {
  const { server, resource, quirks, fetch, signal, dpop } = endpoint;
  const parameters = new URLSearchParams(request.parameters);
  if (request.hasResource !== false && quirks.resource !== 'omit') parameters.set('resource', resource);
  if (request.step === 'refresh' && quirks.refreshScope === 'requested' && request.scopes !== undefined)
    parameters.set('scope', request.scopes.join(' '));
  const [preferred = 'none'] = methodsOf(client, server);
  const authentication = authenticationOf(client, quirks.clientAuth ?? preferred);
  const own = { client_id: client.clientId };
  return oauth.genericTokenEndpointRequest(server, own, authentication, request.grantType, parameters, {
    [oauth.customFetch]: (url, init) => fetch(url, init as Parameters<typeof fetch>[1]),
    // The fetch decides which URLs are safe.
    [oauth.allowInsecureRequests]: true,
    signal,
    ...(dpop !== undefined && { DPoP: dpop }),
  });
}

const secretParameters = ['code', 'refresh_token', 'code_verifier', 'device_code', 'assertion', 'subject_token'];
const maxDescription = 300;

/** Servers may quote what they were sent. */
async function readRefusal(
  response: Response,
  { clientSecret }: OAuthClient,
  { parameters }: TokenRequest,
): Promise<OAuthRefusal & { status: number }> {
  const { error, error_description: description } = (await objectIn(response)) ?? {};
  const secrets = [clientSecret, ...secretParameters.map((name) => parameters[name])];
  const masked = (value: unknown): string => {
    let text = typeof value === 'string' ? value : '';
    for (const secret of secrets) if (secret) text = text.replaceAll(secret, '[masked]');
    return text;
  };
  return { status: response.status, error: masked(error), description: masked(description) };
}

function foundText({ status, error, description }: OAuthRefusal): string {
  const text = description.slice(0, maxDescription);
  const reason = error === '' ? `It answered ${status}` : `It answered ${status}, ${error}`;
  return text === '' ? `${reason}.` : `${reason}: ${text}`;
}

const hints: Readonly<Record<string, string>> = {
  invalid_grant: 'Sign in again.',
  invalid_client: 'Check clientId, clientSecret and authMethod of client.',
  unauthorized_client: 'Allow the grant for this client at the authorization server.',
  invalid_scope: 'Check scopes, and those that the client may request.',
  invalid_target: 'The authorization server does not know the resource: register it there.',
};

function refused(endpoint: TokenEndpoint, request: TokenRequest, refusal: OAuthRefusal): Error {
  const { step, rule } = request;
  return endpoint.steps.failure({
    step,
    url: endpoint.server.token_endpoint,
    status: refusal.status,
    found: foundText(refusal),
    rule,
    hint: hints[refusal.error] ?? 'Check the log of the authorization server.',
    details: { error: refusal.error },
  });
}
