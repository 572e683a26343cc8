/** Finds wrong settings without a user: discovery, the secret by a code that cannot exist, the callback by a request without cookies. */
import * as oauth from 'oauth4webapi';
import type { ProviderProblem } from './provider-client.ts';
import type { ProviderContext } from './provider-context.ts';
import { ProviderError, Refusal } from './provider-error.ts';
import { providerErrorOf, sentences, titleOf } from './refusals.ts';

/** Errors that say that the code is wrong, and so that the client and its secret are right. */
const aboutTheCode = new Set(['invalid_grant', 'bad_verification_code']);

export async function findProblems(context: ProviderContext): Promise<readonly ProviderProblem[]> {
  try {
    const server = await context.metadata();
    const found = await Promise.all([secretProblem(context, server), callbackProblem(context, server)]);
    return found.filter((problem) => problem !== undefined);
  } catch (error) {
    const { code, message } = error as ProviderError;
    if (!(error instanceof ProviderError)) throw error;
    return [{ setting: code === 'unreachable' ? 'provider' : 'issuer', text: message }];
  }
}

async function secretProblem(
  context: ProviderContext,
  server: oauth.AuthorizationServer,
): Promise<ProviderProblem | undefined> {
  const { callbackUrl, client, options } = context;
  const state = oauth.generateRandomState();
  const callback = new URL(callbackUrl);
  callback.search = new URLSearchParams({ state, code: 'tenon-doctor', iss: server.issuer }).toString();
  const parameters = oauth.validateAuthResponse(server, client, callback, state);
  const verifier = oauth.generateRandomCodeVerifier();
  try {
    const auth = context.authentication(server);
    await oauth.authorizationCodeGrantRequest(server, client, auth, parameters, callbackUrl, verifier, options);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && aboutTheCode.has(error.error)) return undefined;
    const { code, message } = providerErrorOf(context, error, { step: 'token' }, [verifier]);
    const isCallback = message.includes('callback');
    return { setting: code === 'unreachable' ? 'provider' : isCallback ? 'callback' : 'client', text: message };
  }
}

/** A provider that does not know the callback shows an error page instead of its sign-in, and never redirects to it. */
async function callbackProblem(
  { provider, callbackUrl, send }: ProviderContext,
  server: oauth.AuthorizationServer,
): Promise<ProviderProblem | undefined> {
  const url = new URL(server.authorization_endpoint as string);
  const parameters = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: callbackUrl,
    scope: (provider.scopes ?? ['openid']).join(' '),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    code_challenge: await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier()),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const response = await send(url.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (response === undefined || response.status < 400 || response.status >= 500 || response.status === 429)
    return undefined;
  const page = (await response.text()).replace(/\s+/g, ' ');
  const isCallback = /redirect|callback|reply (url|address)/i.test(page);
  return isCallback
    ? {
        setting: 'callback',
        text: sentences(
          `${titleOf(provider)} refused the callback address. Register ${callbackUrl} as its callback URL.`,
          provider.settings?.callback,
        ),
      }
    : {
        setting: 'client',
        text: sentences(
          `${titleOf(provider)} refused the sign-in request (${response.status}). Check clientId, scopes and the callback ${callbackUrl}.`,
          provider.settings?.client,
        ),
      };
}
