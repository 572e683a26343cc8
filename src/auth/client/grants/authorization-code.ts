/** The authorization code grant: a person signs in, and the code that comes back is exchanged for tokens. */
import { messageWithoutHint, TenonError } from '../../../lib/errors/tenon-error.ts';
import { isRedirectUri } from '../../secure-url.ts';
import { registeredRedirectUris } from '../registration/choose-client.ts';
import type { OAuthClient } from '../registration/client.ts';
import { offlineAccess } from '../scopes.ts';
import type { PreparedSignIn, SignIn } from '../sign-in.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { OAuthRefusal } from '../tokens/quirks.ts';
import type { TokenRequest } from '../tokens/token-request.ts';
import { adapted } from './adapted.ts';
import {
  authorizationRequest,
  codeFlowProblem,
  readAuthorizationResponse,
  type SentRequest,
  step,
} from './authorization-request.ts';
import type { GrantContext, Granted, TokenGrant } from './grant.ts';
import { addPendingSignIn } from './web-sign-in.ts';

/** A route of a web application that the person is redirected to. */
export interface RedirectSignIn {
  /** The URL of the route, as it is registered at the authorization server. */
  readonly redirectUri: string;
}

const rule = 'OAuth 2.1, 4.1: authorization code with PKCE';

export const authorizationCode = (signIn: SignIn | RedirectSignIn | undefined): TokenGrant => ({
  grantTypes: ['authorization_code', 'refresh_token'],
  asksPerson: true,
  async obtain(context) {
    const problem = codeFlowProblem(context.server);
    if (problem !== undefined) throw context.steps.failure(problem);
    if (signIn === undefined) throw context.steps.failure(noSignIn(context));
    return 'redirectUri' in signIn ? leave(context, signIn.redirectUri) : stay(context, signIn);
  },
});

const noSignIn = ({ server }: GrantContext) =>
  ({
    step,
    url: server.authorization_endpoint,
    found: 'A person has to sign in, and signIn is not set.',
    rule,
    code: 'sign-in-required',
    hint: 'Pass signIn to oauth(): a terminal sign-in, or { redirectUri } of your web application.',
  }) as const;

/** The person is redirected to a route of the application: the call fails with the URL to open. */
async function leave(context: GrantContext, redirectUri: string): Promise<never> {
  const { server, scopes, resource, serverUrl, steps, store, endpoint } = context;
  const client = await context.client([redirectUri]);
  const { url, sent } = await authorizationRequest({
    server,
    client,
    redirectUri,
    scopes,
    resource,
    quirks: endpoint.quirks,
  });
  const { privateKey: _, ...stored } = client;
  const isBound = endpoint.dpop !== undefined;
  await addPendingSignIn(store, { ...sent, client: stored, scopes, resource, serverUrl, isBound });
  throw steps.failure({
    step,
    url: url.href,
    found: 'A person has to sign in first.',
    rule,
    code: 'sign-in-required',
    hint: 'Redirect the person to details.url, pass the URL of your route to finishSignIn(), then connect again.',
    details: { url: url.href },
  });
}

/** The person is redirected to this process. */
async function stay(context: GrantContext, signIn: SignIn): Promise<Granted> {
  const { signInMs, signal, store, server } = context;
  const registered = await registeredRedirectUris(store, server.issuer);
  const late = (): TenonError => tooLate(context);
  return withTimeLimit(signInMs, signal, late, async (own) => {
    const prepared = await ofSignIn(context, own, () => signIn.prepare(own, registered));
    try {
      if (!isRedirectUri(prepared.redirectUri)) throw context.steps.failure(noRedirectUri(context));
      return await signInAndRedeem(context, prepared, own, true);
    } finally {
      await prepared.close();
    }
  });
}

const noRedirectUri = ({ server }: GrantContext) =>
  ({
    step,
    url: server.authorization_endpoint,
    found: 'The redirectUri that prepare() of signIn returned is neither an https URL nor an http URL of this machine.',
    rule: 'MCP: redirect URIs are localhost or https',
    hint: 'Return a redirectUri such as http://127.0.0.1:8765/callback. Private schemes of apps are not allowed.',
  }) as const;

/** Errors of `signIn` are those of this step: a time limit of its own says nothing about the MCP server. */
async function ofSignIn<T>({ steps, server }: GrantContext, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (signal.aborted) throw cause;
    const isOurs = cause instanceof TenonError;
    throw steps.failure({
      step,
      url: server.authorization_endpoint,
      found: isOurs ? messageWithoutHint(cause) : 'signIn failed.',
      rule,
      hint: (isOurs ? cause.hint : undefined) ?? 'Its error is the cause.',
      cause,
    });
  }
}

const tooLate = ({ steps, server, signInMs }: GrantContext): TenonError =>
  steps.failure({
    step,
    url: server.authorization_endpoint,
    found: `The sign-in was not finished within ${signInMs} ms.`,
    rule,
    hint: "If the page showed an error about the resource, pass quirks: { resource: 'omit' }; otherwise sign in again.",
  });

async function signInAndRedeem(
  context: GrantContext,
  prepared: PreparedSignIn,
  signal: AbortSignal,
  mayRetry: boolean,
): Promise<Granted> {
  const { server, scopes, resource, steps, endpoint } = context;
  const { redirectUri } = prepared;
  const client = await context.client([redirectUri]);
  const { quirks } = endpoint;
  const { url, sent } = await authorizationRequest({ server, client, redirectUri, scopes, resource, quirks });
  const asked = scopes === undefined ? 'without scopes' : `for ${scopes.join(' ')}`;
  steps.add({
    step,
    url: url.href,
    found: `A person is asked to sign in ${asked}.`,
    rule,
    next: 'wait for the redirect',
  });
  const back = await ofSignIn(context, signal, () => prepared.authorize(url, signal));
  const response = readAuthorizationResponse(server, sent, back);
  if ('code' in response) return redeem(context, client, sent, response.code);
  if ('problem' in response) throw steps.failure({ step, url: url.href, ...foundProblem(response) });
  const changed = mayRetry && (await adapted(context, response.refusal));
  if (!changed) throw refusedSignIn(context, response.refusal);
  return signInAndRedeem(context, prepared, signal, false);
}

const foundProblem = ({ problem, rule, hint }: { problem: string; rule: string; hint: string }) => ({
  found: problem,
  rule,
  hint,
});

const maxDescription = 300;

const atTheServer = 'Nothing is wrong here: report it to the operator of the authorization server.';
const refusalHints: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'The person, or a policy, did not allow it.'],
  ['server_error', atTheServer],
  ['temporarily_unavailable', `Try again later. ${atTheServer}`],
]);

export function refusedSignIn(
  { steps, server }: Pick<GrantContext, 'steps' | 'server'>,
  refusal: OAuthRefusal,
): TenonError {
  const { error, description } = refusal;
  const text = description === '' ? '.' : `: ${description.slice(0, maxDescription)}`;
  return steps.failure({
    step,
    url: server.authorization_endpoint,
    found: `The authorization server answered ${error.slice(0, maxDescription)}${text}`,
    rule,
    hint: refusalHints.get(error) ?? 'Check the client and its scopes at the authorization server.',
    details: { error },
  });
}

/** Exchanges the code. */
export async function redeem(
  context: Pick<GrantContext, 'scopes' | 'requestToken' | 'endpoint'>,
  client: OAuthClient,
  { verifier, redirectUri }: SentRequest,
  code: string,
): Promise<Granted> {
  const scopes =
    context.endpoint.quirks.offlineAccess === 'omit'
      ? context.scopes?.filter((scope) => scope !== offlineAccess)
      : context.scopes;
  const request: TokenRequest = {
    step: 'token',
    grantType: 'authorization_code',
    parameters: { code, redirect_uri: redirectUri, code_verifier: verifier },
    scopes,
    rule: 'OAuth 2.1, 4.1.3: the code is exchanged with its verifier',
  };
  return { client, tokens: await context.requestToken(client, request), scopes };
}
